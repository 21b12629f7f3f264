/** Copies of the checkpoints, of which each host gets one, as SageMaker restores them on each. */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { isPlaceholder } from "../../app/layout.ts";
import { copyTree, lstatIfThere, makeDirectory, removeIfThere } from "../../files.ts";
import { entriesIn, removeIfEmpty } from "./merge.ts";

/** As if never read. */
const NEVER = new Date(0);

/** A host's copy of the checkpoints: its directory, and the files and links in it as they were made. */
export interface Restored {
  readonly path: string;
  readonly files: ReadonlyMap<string, Deno.FileInfo>;
}

/**
 * Makes a copy in which files are as old as the originals, and are noticed when they are read.
 *
 * @param to where nothing is.
 */
export async function restore(
  source: string,
  to: string,
  signal?: AbortSignal,
): Promise<Restored> {
  for (const folder of [source, dirname(to)]) await makeDirectory(folder);
  await copyTree(source, to, undefined, signal);
  const files = new Map<string, Deno.FileInfo>();
  for (const [path, { isDirectory, isFile }] of await entriesIn(to)) {
    if (isDirectory || isPlaceholder(basename(path))) continue;
    const copy = join(to, path);
    if (isFile) Deno.utimeSync(copy, NEVER, Deno.lstatSync(join(source, path)).mtime ?? NEVER);
    files.set(path, Deno.lstatSync(copy));
  }
  return { path: to, files };
}

/**
 * Whether a restored file has been read since.
 *
 * @returns `undefined` where that is not known: there was none, the file system does not keep when files
 * are read, or some were removed or replaced, and none that is left was read.
 */
export async function wereRead(copies: readonly Restored[]): Promise<boolean | undefined> {
  let isKnown = copies.some(({ path, files }) => files.size > 0 && keepsReads(path));
  for (const { path, files } of copies) {
    for (const [name, { isFile, ino, birthtime }] of files) {
      if (!isFile) continue;
      const now = await lstatIfThere(join(path, name)).catch(() => undefined);
      // The number of a file that is gone may be given to another.
      const isLeft = now?.ino === ino && now.birthtime?.getTime() === birthtime?.getTime();
      if (isLeft && isRead(now)) return true;
      if (!isLeft) isKnown = false;
    }
  }
  return isKnown ? false : undefined;
}

/** Whether it is kept when something in a directory is read. */
function keepsReads(directory: string): boolean {
  Deno.utimeSync(directory, NEVER, NEVER);
  Array.from(Deno.readDirSync(directory));
  return isRead(Deno.lstatSync(directory));
}

function isRead({ atime }: Deno.FileInfo): boolean {
  return (atime?.getTime() ?? 0) > NEVER.getTime();
}

/**
 * Takes out of copies what their hosts have left as it was. What is gone from some, and changed in none, is
 * removed from the source, as SageMaker passes deletions on. So this must not be done again where it was
 * cut off.
 */
export async function removeUnchanged(source: string, copies: readonly Restored[]): Promise<void> {
  const gone = new Set<string>();
  const changed = new Set<string>();
  for (const { path: folder, files } of copies) {
    const entries = await entriesIn(folder);
    for (const [path, before] of files) {
      const now = entries.get(path);
      if (now === undefined) gone.add(path);
      else if (isAsBefore(now, before)) await removeIn(folder, path);
      else changed.add(path);
    }
  }
  for (const path of gone.difference(changed)) await removeIn(source, path);
}

function isAsBefore(now: Deno.FileInfo, before: Deno.FileInfo): boolean {
  // Code may set the time of a file (mtime), but not when that was (ctime).
  return now.isFile === before.isFile && now.isSymlink === before.isSymlink &&
    now.size === before.size && timesOf(now) === timesOf(before);
}

function timesOf({ ctime, mtime }: Deno.FileInfo): string {
  return `${ctime?.getTime()} ${mtime?.getTime()}`;
}

/** Removes a file of a directory, and the directories around it in which nothing is then. */
async function removeIn(directory: string, path: string): Promise<void> {
  await removeIfThere(join(directory, path));
  let folder = dirname(path);
  while (folder !== "." && removeIfEmpty(join(directory, folder))) folder = dirname(folder);
}
