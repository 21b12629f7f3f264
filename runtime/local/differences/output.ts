/** Files of a run in the layout's `output`, of which SageMaker keeps only a part. */

import { join } from "@std/path/join";
import { isPlaceholder } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { typedPath } from "../../app/typed_path.ts";
import { isKeptOutput, JOBS, type ProgramKind } from "../../contract/jobs.ts";
import { lstatIfThere } from "../../files.ts";
import { type Message, warning } from "../../messages.ts";
import { listed } from "../../text.ts";

export interface OutputBefore {
  /** When something was last made or removed right in it, in ms since 1970. */
  readonly changed: number;
  /** State of each entry; `undefined` if there are too many entries. */
  readonly entries: ReadonlyMap<string, string> | undefined;
}

/**
 * Directories with more bytes are not listed, because that would delay the run. On ext4, 64 KiB contain about
 * two thousand names.
 */
const LARGEST_DIRECTORY = 64 * 1024;

/** How many entries are looked at, one level of directories included. */
const MOST_ENTRIES = 500;

/** Remembers what is in `output`, as far as that is quickly done. */
export async function outputBefore({ output }: Paths): Promise<OutputBefore> {
  const info = await lstatIfThere(output);
  const isSmall = (info?.size ?? 0) <= LARGEST_DIRECTORY;
  return {
    changed: info?.mtime?.getTime() ?? 0,
    entries: isSmall ? await entriesOf(output) : undefined,
  };
}

/**
 * Returns warnings about files of a run that SageMaker would not keep, or would not have.
 *
 * @param kind of a training run, SageMaker keeps only its own names; of a processing run, it keeps all
 * output, but files of earlier runs would not exist.
 */
export async function outputDifferences(
  layout: Paths,
  kind: ProgramKind,
  before: OutputBefore,
): Promise<readonly Message[]> {
  const shown = typedPath(layout, layout.output);
  const { changed, entries } = before;
  if (entries === undefined) {
    const info = await lstatIfThere(layout.output);
    const isChanged = kind === "train" && info?.mtime?.getTime() !== changed;
    return isChanged ? [dropped(shown, "new files")] : [];
  }
  const after = [...await entriesOf(layout.output)];
  const written = topsOf(after.filter(([path, state]) => entries.get(path) !== state));
  if (kind === "train") return written.size === 0 ? [] : [dropped(shown, listed([...written]))];
  const old = topsOf(after).difference(written);
  return old.size === 0 ? [] : [leftBefore(shown, listed([...old]))];
}

/** The entries right in the directory that these are, or are in; sorted, since the entries are. */
function topsOf(entries: readonly (readonly [path: string, state: string])[]): Set<string> {
  return new Set(entries.map(([path]) => path.split("/")[0]!));
}

function dropped(output: string, names: string): Message {
  return warning(
    `SageMaker keeps only data/ of /opt/ml/output, so ${names} in ${output} would be lost`,
    "Write to /opt/ml/output/data (SM_OUTPUT_DATA_DIR) or /opt/ml/model",
  );
}

function leftBefore(output: string, names: string): Message {
  return warning(
    `${output} still contains files of earlier runs: ${names}`,
    "Remove the old files: on SageMaker, a job starts with an empty output directory",
  );
}

/** Returns entries of two levels that SageMaker does not keep, each with its inode, size and change time. */
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

/** How many entries are looked at: that takes milliseconds. */
const MOST_LINKS_SEEN = 1_000;

/**
 * Links that a job left and SageMaker does not take. Sources: developer guide, "Build Your Own
 * Processing Container": "Symlinks are not followed when uploading output data"; "Troubleshoot Amazon
 * SageMaker model deployments": "the model tarball should not include any symlinks. Symlinks cause the
 * model creation to fail."
 *
 * @param folder of the model, or of an output of processing: on this machine, and in the container.
 */
export async function linkDifferences(
  kind: ProgramKind,
  { source, path }: { readonly source: string; readonly path: string },
): Promise<readonly Message[]> {
  const links = await linksIn(source);
  if (links.length === 0) return [];
  const found = `${JOBS[kind].title} created links in ${path}: ${listed(links)}`;
  return [warning(
    kind === "train"
      ? `${found}; SageMaker cannot create a model from an archive with links`
      : `${found}; SageMaker does not upload their targets`,
    "Replace each link with a copy of its target",
  )];
}

/** The links in a directory at any depth, as paths relative to it, sorted. */
async function linksIn(folder: string): Promise<readonly string[]> {
  const links: string[] = [];
  let seen = 0;
  const visit = async (path: string): Promise<void> => {
    try {
      for (const { name, isDirectory, isSymlink } of Deno.readDirSync(join(folder, path))) {
        if (++seen > MOST_LINKS_SEEN) return;
        const inner = path === "" ? name : `${path}/${name}`;
        if (isSymlink) links.push(inner);
        if (isDirectory) await visit(inner);
      }
    } catch {
      // It is not there, or closed.
    }
  };
  await visit("");
  return links.sort();
}
