/**
 * Report of the harness in a container about the user's code: Python's version, the packages, lost files, and
 * the reason of a failure. The report is a mounted file, so that it outlives the container. On SageMaker, the
 * file does not exist, and the harness writes no report.
 */

import { join } from "@std/path/join";
import { type Message, warning } from "../../messages.ts";
import { PATHS } from "../../contract/jobs.ts";
import { failureReason, REASON_BYTES } from "../../contract/outcome.ts";
import type { Variables } from "../../contract/variables.ts";
import type { Mount } from "../../docker/engine.ts";
import { listed } from "../../text.ts";
import { writable } from "../container/body.ts";

/** Path of the report in the container. */
const TARGET = "/opt/mlcli/report";

/** Bytes that are read of a report: the harness writes only some lines. */
const LONGEST = 256 * 1024;

/** Creates the report. The container can have any user, so every user can write to it. */
export function makeReport(folder: string): string {
  const path = join(folder, "report");
  Deno.writeTextFileSync(path, "", { createNew: true });
  if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o666);
  return path;
}

export function reportMount(path: string): Mount {
  return writable(path, TARGET);
}

/** Returns whether a mount is a report: a file, not a directory. */
export function isReport({ Target }: Mount): boolean {
  return Target === TARGET;
}

/** Tells the harness to report. */
export const REPORT_VARIABLES: Variables = { MLCLI_REPORT: TARGET };

export interface Report {
  readonly differences: readonly Message[];
  readonly python: PythonOfImage | undefined;
  /** Why the code failed, as the harness knows it. */
  readonly reason: string | undefined;
}

export interface PythonOfImage {
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** Reads a report; the container might have written anything to it. */
export async function readReport(path: string): Promise<Report> {
  // If the run's directory was removed, the run's exit code still matters.
  using file = await Deno.open(path).catch(() => undefined);
  if (file === undefined) return reportOf("");
  const buffer = new Uint8Array(LONGEST);
  const length = await file.read(buffer) ?? 0;
  return reportOf(new TextDecoder().decode(buffer.subarray(0, length)));
}

/** Returns the report in a text of lines, each a JSON array of two strings: its kind and its value. */
export function reportOf(text: string): Report {
  const lines = text.split("\n").map(parse).filter((line) => line !== undefined);
  const saying = (what: string): readonly string[] =>
    lines.filter(([found]) => found === what).map(([, where]) => where);
  const lost = [...new Set(saying("lost"))];
  // The first reason counts, as in the file `failure`.
  const [reason] = saying("reason");
  return {
    differences: lost.length === 0 ? [] : [warning(
      `Processing wrote files outside its outputs, so they are lost: ${listed(lost)}`,
      `Write results to ${PATHS.processingOutput}`,
    )],
    python: pythonOf(saying("python")[0], saying("package")),
    reason: reason === undefined
      ? undefined
      : failureReason(new TextEncoder().encode(reason).subarray(0, REASON_BYTES)),
  };
}

function pythonOf(
  version: string | undefined,
  packages: readonly string[],
): PythonOfImage | undefined {
  if (version === undefined || !/^[\d.]{1,20}$/.test(version)) return undefined;
  const known = packages.flatMap((text) => {
    const [, name, version] = /^([\w.-]{1,200}) ([\w.+!-]{1,100})$/.exec(text) ?? [];
    return name === undefined ? [] : [[name, version!] as const];
  });
  return { version, packages: Object.fromEntries(known) };
}

function parse(line: string): readonly [what: string, path: string] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!Array.isArray(value)) return undefined;
    const [what, path] = value;
    if (typeof what === "string" && typeof path === "string") return [what, path];
  } catch {
    return undefined; // cut off, or the container's own
  }
}
