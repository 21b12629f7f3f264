/** What differs between the code of two runs, which is kept as `jobs/code/HASH.tar.gz`. */

import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import { bytesOfFile, entriesOf } from "../../archive/reader.ts";
import { MlcliError } from "../../errors.ts";
import { lstatIfThere } from "../../files.ts";
import { KEPT_CODE } from "../../model/runs.ts";
import { joined } from "../../streams.ts";

/** A file that is not the same in both. */
export interface CodeChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** What changed in a text, as `diff -u` has it; of much, the beginning. */
  readonly patch?: string;
}

/** The most that is unpacked (code has no more), and the largest text that is compared, in bytes. */
const MOST_CODE = 512 * 1024 ** 2;
const LARGEST_TEXT = 256 * 1024;

/** The most lines of all patches, and of edits that are looked for in a file. */
const MOST_LINES = 1_000;
const MOST_EDITS = 2_000;

/** @returns sorted; `undefined` where the code of one is not kept. */
export async function codeChanges(
  layout: Layout,
  hashes: readonly [string | undefined, string | undefined],
  signal: AbortSignal,
): Promise<readonly CodeChange[] | undefined> {
  const [before, after] = [
    await filesOf(layout, hashes[0], signal),
    await filesOf(layout, hashes[1], signal),
  ];
  if (before === undefined || after === undefined) return undefined;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  let left = MOST_LINES;
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): readonly CodeChange[] => {
    const [one, other] = [before.get(path), after.get(path)];
    if (one === undefined) return [{ path, change: "added" }];
    if (other === undefined) return [{ path, change: "removed" }];
    if (one.length === other.length && one.every((byte, at) => byte === other[at])) return [];
    const [old, now] = [textIn(one), textIn(other)];
    const patch = old === undefined || now === undefined || left === 0
      ? undefined
      : createTwoFilesPatch(path, path, old, now, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
        maxEditLength: MOST_EDITS,
      });
    if (patch === undefined) return [{ path, change: "changed" }];
    const lines = patch.trimEnd().split("\n");
    const shown = lines.slice(0, left);
    left -= shown.length;
    const rest = lines.length > shown.length
      ? `\n... (${lines.length - shown.length} more lines)`
      : "";
    return [{ path, change: "changed", patch: `${shown.join("\n")}${rest}\n` }];
  });
}

async function filesOf(
  { jobs }: Layout,
  hash: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  // A record may say anything.
  if (hash === undefined || !/^[\da-f]{32}$/.test(hash)) return undefined;
  const path = join(jobs, KEPT_CODE, `${hash}.tar.gz`);
  if (!(await lstatIfThere(path))?.isFile) return undefined;
  const files = new Map<string, Uint8Array>();
  try {
    for await (const { header, content } of entriesOf(bytesOfFile(path), MOST_CODE, signal)) {
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
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
