/**
 * What the harness in a container reports of the user's code: a file that is mounted for it, since
 * nothing else of the container is left when it has ended. (On SageMaker there is none, and the
 * harness reports nothing.)
 */

import { join } from "@std/path/join";
import type { Difference } from "../../contract/differences.ts";
import { JOBS, PATHS, type ProgramKind } from "../../contract/jobs.ts";
import { failureReason, REASON_BYTES } from "../../contract/outcome.ts";
import type { Variables } from "../../contract/variables.ts";
import type { Mount } from "../../docker/engine.ts";
import { listed } from "../../text.ts";
import { writable } from "../container/body.ts";

/** Where it is in the container. */
const TARGET = "/opt/mlcli/report";

/** How much of it is read, in bytes: the harness writes some lines. */
const LONGEST = 256 * 1024;

/** Directories that a job of this kind does not have on SageMaker, and the specification mounts. */
const WATCHED: Readonly<Record<ProgramKind, readonly string[]>> = {
  train: [`${PATHS.inputData}/processing`],
  process: [PATHS.model, PATHS.input],
};

/** Makes the file. A container's user may be any, so anybody may write to it. */
export function makeReport(folder: string): string {
  const path = join(folder, "report");
  Deno.writeTextFileSync(path, "", { createNew: true });
  if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o666);
  return path;
}

export function reportMount(path: string): Mount {
  return writable(path, TARGET);
}

/** Whether a mount is that of a report: a file, and no directory. */
export function isReport({ Target }: Mount): boolean {
  return Target === TARGET;
}

/** Tells the harness to report, and of which directories. */
export function reportVariables(kind: ProgramKind, isStrict: boolean): Variables {
  // Under --strict they are not there.
  const watched = isStrict ? [] : WATCHED[kind];
  return { MLCLI_REPORT: TARGET, MLCLI_WATCH: watched.join(":") };
}

export interface Report {
  readonly differences: readonly Difference[];
  readonly python: PythonOfImage | undefined;
  /** Why the code failed, as the harness knows it. */
  readonly reason: string | undefined;
}

export interface PythonOfImage {
  readonly version: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** What the harness reported; the container may have written anything. */
export async function readReport(path: string, kind: ProgramKind): Promise<Report> {
  // Somebody may have taken the run's directory away: how the run ended matters more.
  using file = await Deno.open(path).catch(() => undefined);
  if (file === undefined) return reportOf("", kind);
  const buffer = new Uint8Array(LONGEST);
  const length = await file.read(buffer) ?? 0;
  return reportOf(new TextDecoder().decode(buffer.subarray(0, length)), kind);
}

/** The same, of its text: a line each, a JSON array of what happened and where. */
export function reportOf(text: string, kind: ProgramKind): Report {
  const lines = text.split("\n").map(parse).filter((line) => line !== undefined);
  const saying = (what: string): readonly string[] =>
    lines.filter(([found]) => found === what).map(([, where]) => where);
  // The first reason counts, as in the file `failure`.
  const [reason] = saying("reason");
  return {
    differences: differencesOf(new Set(saying("opened")), new Set(saying("lost")), kind),
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

function differencesOf(
  opened: ReadonlySet<string>,
  lost: ReadonlySet<string>,
  kind: ProgramKind,
): readonly Difference[] {
  const { title } = JOBS[kind];
  const found: Difference[] = [];
  for (const directory of WATCHED[kind]) {
    const paths = [...opened].filter((path) => `${path}/`.startsWith(`${directory}/`));
    if (paths.length === 0) continue;
    found.push({
      message: `${title} opened ${listed(paths)}; on SageMaker, it has no ${directory}`,
      hint: REMEDIES[kind],
    });
  }
  if (lost.size > 0) {
    found.push({
      message: `${title} wrote ${listed([...lost])}, which nothing keeps, here or on SageMaker`,
      hint: `Write it to ${PATHS.processingOutput}.`,
    });
  }
  return found;
}

const REMEDIES: Readonly<Record<ProgramKind, string>> = {
  train: "Put the data into a channel of its own, a directory beside it in input/data.",
  process: `Put what it needs into ${PATHS.processingInput} (input/data/processing, or --input), ` +
    `and write results to ${PATHS.processingOutput}.`,
};

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
