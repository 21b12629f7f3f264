/** What differs between the code of two runs, which is kept as `jobs/code/HASH.tar.gz`. */

import type { Paths } from "../../app/paths.ts";
import { bytesOfFile, entriesOf } from "../../archive/reader.ts";
import { MlcliError } from "../../errors.ts";
import { keptCode } from "../../model/runs.ts";
import { joined } from "../../streams.ts";

/** A file that is not the same in both. */
export interface CodeChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** What changed in a text, as `diff -u` has it; of much, the beginning. */
  readonly patch?: string;
}

/** The most that is unpacked, in bytes, and in entries. */
const MOST_CODE = 64 * 1024 ** 2;
const MOST_ENTRIES = 20_000;

/** The largest text that is compared, and the most of all, in bytes: some seconds' work. */
const LARGEST_TEXT = 256 * 1024;
const MOST_TEXT = 4 * 1024 ** 2;

/** The most lines of all patches, and of edits that are looked for in a file. */
const MOST_LINES = 1_000;
const MOST_EDITS = 2_000;

/** @returns sorted; `undefined` where the code of one is not kept, or too much. */
export async function codeChanges(
  layout: Paths,
  hashes: readonly [string | undefined, string | undefined],
  signal: AbortSignal,
): Promise<readonly CodeChange[] | undefined> {
  const [before, after] = [
    await filesOf(layout, hashes[0], signal),
    await filesOf(layout, hashes[1], signal),
  ];
  if (before === undefined || after === undefined) return undefined;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  let [left, leftText] = [MOST_LINES, MOST_TEXT];
  const changes: CodeChange[] = [];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [one, other] = [before.get(path), after.get(path)];
    if (one === undefined || other === undefined) {
      changes.push({ path, change: one === undefined ? "added" : "removed" });
      continue;
    }
    if (one.length === other.length && one.every((byte, at) => byte === other[at])) continue;
    // The signal is heard between two files.
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal.throwIfAborted();
    const [old, now] = [textIn(one), textIn(other)];
    leftText -= one.length + other.length;
    const patch = old === undefined || now === undefined || left === 0 || leftText < 0
      ? undefined
      : createTwoFilesPatch(path, path, old, now, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
        maxEditLength: MOST_EDITS,
      });
    if (patch === undefined) {
      changes.push({ path, change: "changed" });
      continue;
    }
    const lines = patch.trimEnd().split("\n");
    const shown = lines.slice(0, left);
    left -= shown.length;
    const rest = lines.length > shown.length
      ? `\n... (${lines.length - shown.length} more lines)`
      : "";
    changes.push({ path, change: "changed", patch: `${shown.join("\n")}${rest}\n` });
  }
  return changes;
}

async function filesOf(
  layout: Paths,
  hash: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const path = await keptCode(layout, hash);
  if (path === undefined) return undefined;
  const files = new Map<string, Uint8Array>();
  try {
    for await (const { header, content } of entriesOf(bytesOfFile(path), MOST_CODE, signal)) {
      if (files.size === MOST_ENTRIES) return undefined;
      files.set(header.name, joined(await Array.fromAsync(content)));
    }
  } catch (error) {
    if (error instanceof MlcliError) return undefined; // it is damaged
    throw error;
  }
  return files;
}

function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.length > LARGEST_TEXT || bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
