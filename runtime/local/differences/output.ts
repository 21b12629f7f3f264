/**
 * What a run leaves in the layout's `output`, where SageMaker keeps only a part of it.
 *
 * @module
 */

import { join } from "@std/path/join";
import { isPlaceholder, type Layout } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { Difference } from "../../contract/differences.ts";
import { isKeptOutput, type JobKind } from "../../contract/jobs.ts";
import { lstatIfThere, realPathOf } from "../../files.ts";
import { listed } from "../../text.ts";

/** What was in the directory before a run. */
export interface OutputBefore {
  /** Its real path. */
  readonly folder: string;
  /** When something was last made or removed right in it, in ms since 1970. */
  readonly changed: number;
  /** Each entry's state; `undefined` where there are too many to look at. */
  readonly entries: ReadonlyMap<string, string> | undefined;
}

/**
 * Directories that take more bytes are not listed: that takes longer than a run may wait. Of an
 * ext4, 64 KiB hold about two thousand names.
 */
const LARGEST_DIRECTORY = 64 * 1024;

/** How many entries are looked at, one level of directories included. */
const MOST_ENTRIES = 500;

/** Remembers what is in `output`, as far as that is quickly done. */
export async function outputBefore({ output }: Layout): Promise<OutputBefore> {
  const folder = await realPathOf(output);
  const info = await lstatIfThere(folder);
  const isSmall = (info?.size ?? 0) <= LARGEST_DIRECTORY;
  return {
    folder,
    changed: info?.mtime?.getTime() ?? 0,
    entries: isSmall ? await entriesOf(folder) : undefined,
  };
}

/**
 * What of a run SageMaker would not keep, or would not have.
 *
 * @param kind of a training, everything but SageMaker's own names is dropped; of a processing job,
 * everything is its output, but what earlier runs left is not.
 */
export async function outputDifferences(
  layout: Layout,
  kind: JobKind,
  before: OutputBefore,
): Promise<readonly Difference[]> {
  const shown = typedPath(layout.directory, layout.output);
  const { folder, changed, entries } = before;
  if (entries === undefined) {
    const info = await lstatIfThere(folder);
    const isChanged = kind === "train" && info?.mtime?.getTime() !== changed;
    return isChanged ? [dropped(shown, "new files")] : [];
  }
  const after = [...await entriesOf(folder)];
  const written = topsOf(after.filter(([path, state]) => entries.get(path) !== state));
  if (kind === "train") return written.size === 0 ? [] : [dropped(shown, listed([...written]))];
  const old = topsOf(after).difference(written);
  return old.size === 0 ? [] : [leftBefore(shown, listed([...old]))];
}

/** The entries right in the directory that these are, or are in; sorted, since the entries are. */
function topsOf(entries: readonly (readonly [path: string, state: string])[]): Set<string> {
  return new Set(entries.map(([path]) => path.split("/")[0]!));
}

function dropped(output: string, names: string): Difference {
  return {
    message: `The platform keeps nothing of /opt/ml/output but data/: ${names} in ${output} ` +
      "would be lost",
    hint: "Write it to /opt/ml/output/data (SM_OUTPUT_DATA_DIR), or beside the model.",
  };
}

function leftBefore(output: string, names: string): Difference {
  return {
    message: `${output} also holds what earlier runs left: ${names}`,
    hint: "On the platform, the output of a job is empty when it starts. Remove what is old.",
  };
}

/** Entries and, of directories that SageMaker does not keep, theirs; with what shows a change. */
async function entriesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = new Map<string, string>();
  const visit = async (path: string, depth: number): Promise<void> => {
    const directory = join(folder, path);
    const names = await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)
      .catch(() => []);
    for (const name of names.sort()) {
      if (entries.size >= MOST_ENTRIES) return;
      if (depth === 0 && (isKeptOutput(name) || isPlaceholder(name))) continue;
      const inner = path === "" ? name : `${path}/${name}`;
      const info = await lstatIfThere(join(folder, inner)).catch(() => undefined);
      if (info === undefined) continue;
      entries.set(inner, [info.ino, info.size, info.mtime?.getTime()].join());
      const isSmall = info.isDirectory && info.size <= LARGEST_DIRECTORY;
      if (isSmall && depth === 0) await visit(inner, depth + 1);
    }
  };
  await visit("", 0);
  return entries;
}
