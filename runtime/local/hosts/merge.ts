/**
 * What several hosts wrote, in one directory, as SageMaker puts it into one archive or below one prefix.
 * Code of a stranger may have made the trees: no link in them is followed, and only files are opened.
 */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { MlcliError, systemCode } from "../../errors.ts";
import {
  hashOfFile,
  lstatIfThere,
  makeDirectory,
  moveTree,
  removeTreeIfThere,
} from "../../files.ts";
import { inOneLine, listed } from "../../text.ts";
import { takeAfter } from "../runs/sift.ts";

/** What a host wrote. */
export interface HostFolder {
  readonly host: string;
  readonly path: string;
}

/** A file, a directory or the like that a host wrote. */
interface Entry {
  readonly host: string;
  /** In the directory, with slashes. */
  readonly path: string;
  readonly from: string;
  readonly info: Deno.FileInfo;
}

/** What hosts wrote under one path. */
export interface Written {
  readonly path: string;
  readonly hosts: readonly string[];
  /** Whether it was not the same. */
  readonly isClash: boolean;
  readonly isDirectory: boolean;
}

/**
 * Moves what each host wrote into a directory. What is the same is there once; else the last host's stays,
 * as it may on SageMaker, which does not say whose does. A file that was in the directory before gives way
 * to what a host wrote.
 *
 * @param folders the hosts' directories, in the order of the hosts. They are gone afterwards.
 * @throws MlcliError where something could not be merged, which stays in the host's directory; Error of
 * the system.
 */
export async function mergeHosts(
  target: string,
  folders: readonly HostFolder[],
): Promise<readonly Written[]> {
  await makeDirectory(target);
  const entries: Entry[] = [];
  for (const { host, path: folder } of folders) {
    for (const [path, info] of await entriesIn(folder)) {
      entries.push({ host, path, from: join(folder, path), info });
    }
  }
  const written: Written[] = [];
  for (const [path, all] of Map.groupBy(entries, ({ path }) => path)) {
    const identities = all.length === 1 ? [] : await Promise.all(all.map(identityOf));
    written.push({
      path,
      hosts: all.map(({ host }) => host),
      isClash: new Set(identities).size > 1,
      isDirectory: all.every(({ info }) => info.isDirectory),
    });
  }
  const made = new Set<string>();
  for (const entry of entries) await put(entry, target, made);
  for (const { from, info } of entries.toReversed()) if (info.isDirectory) removeIfEmpty(from);
  const left = folders.filter(({ path }) => !removeIfEmpty(path));
  if (left.length === 0) return written;
  const hosts = listed(left.map(({ host }) => host));
  const reason = "a name is not UTF-8, or a file and a directory have the same name";
  throw new MlcliError(`Cannot merge all files of ${hosts} into ${inOneLine(target)}: ${reason}`, {
    hint: `Copy the remaining files from ${listed(left.map(({ path }) => path))}`,
  });
}

/**
 * Puts a host's file, or a new directory for its files, over what is there.
 *
 * @param made directories that were not there before the merge.
 */
async function put({ path, from, info }: Entry, target: string, made: Set<string>): Promise<void> {
  const to = join(target, path);
  const there = await lstatIfThere(to);
  // A directory of earlier runs does not give way to a file.
  if (there?.isDirectory && (info.isDirectory || !made.has(path))) return;
  if (there?.isDirectory || info.isDirectory) await removeTreeIfThere(to);
  if (info.isDirectory) {
    Deno.mkdirSync(to, { mode: 0o700 });
    takeAfter(to, { ...info, mode: (info.mode ?? 0) | 0o700 });
    made.add(path);
  } else await moveTree(from, to, { part: join(dirname(to), `.mlcli-${crypto.randomUUID()}`) });
}

/**
 * What is in a directory and below, by its path there: a directory comes before what is in it. Those that
 * their owner has closed are opened, so that the caller can change what is in them.
 */
export async function entriesIn(directory: string): Promise<ReadonlyMap<string, Deno.FileInfo>> {
  const entries = new Map<string, Deno.FileInfo>();
  const folders = [""];
  for (const folder of folders) {
    open(join(directory, folder));
    const names = Array.from(Deno.readDirSync(join(directory, folder)), ({ name }) => name);
    for (const name of names.sort()) {
      const path = folder + name;
      const info = await lstatIfThere(join(directory, path));
      // Deno shows a name that is not UTF-8 as another.
      if (info === undefined || entries.has(path)) continue;
      entries.set(path, info);
      if (info.isDirectory) folders.push(`${path}/`);
    }
  }
  return entries;
}

function open(folder: string): void {
  const { mode } = Deno.lstatSync(folder);
  if (mode !== null && (mode & 0o700) !== 0o700) Deno.chmodSync(folder, mode & 0o777 | 0o700);
}

/** Removes a directory in which nothing is. */
export function removeIfEmpty(folder: string): boolean {
  try {
    Deno.removeSync(folder);
    return true;
  } catch (error) {
    if (systemCode(error) !== "ENOTEMPTY") throw error;
    return false;
  }
}

/** Is equal for directories, for links that say the same, and for files of the same bytes. */
async function identityOf({ from, info }: Entry): Promise<string> {
  if (info.isDirectory) return "directory";
  if (info.isSymlink) return `link ${Deno.readLinkSync(from)}`;
  // A file that cannot be read is not the same as another.
  return info.isFile ? await hashOfFile(from).catch(() => from) : from;
}
