/**
 * What several hosts wrote, in one directory, as SageMaker puts it into one archive or below one prefix.
 * Code of a stranger may have made the trees: no link in them is followed, and only files are opened.
 */

import { createHash } from "node:crypto";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { MlcliError, systemCode } from "../../errors.ts";
import { lstatIfThere, makeDirectory, moveTree, removeTreeIfThere } from "../../files.ts";
import { inOneLine, listed } from "../../text.ts";
import { takeAfter } from "../runs/sift.ts";

/** What a host wrote. */
export interface HostFolder {
  readonly host: string;
  readonly path: string;
}

/** What hosts wrote under one path. */
export interface Written {
  /** In the directory, with slashes. */
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
  const merge = new Merge(target);
  const left: HostFolder[] = [];
  for (const { host, path: folder } of folders) {
    const entries = await entriesIn(folder);
    for (const [path, info] of entries) await merge.put(host, folder, path, info);
    for (const [path, { isDirectory }] of [...entries].reverse()) {
      if (isDirectory) removeIfEmpty(join(folder, path));
    }
    if (!removeIfEmpty(folder)) left.push({ host, path: folder });
  }
  if (left.length === 0) return [...merge.written.values()];
  const hosts = listed(left.map(({ host }) => host));
  throw new MlcliError(`Not all that ${hosts} wrote can be put into ${inOneLine(target)}`, {
    hint: "A name is not UTF-8, or a file has the name of a directory there. It stays in " +
      listed(left.map(({ path }) => path)),
  });
}

class Merge {
  /** By the paths. */
  readonly written = new Map<string, Written>();
  /** The directories that were not there before. */
  readonly #made = new Set<string>();

  constructor(private readonly target: string) {}

  /** Puts a host's file, or a new directory for its files, over what is there. */
  async put(host: string, folder: string, path: string, info: Deno.FileInfo): Promise<void> {
    const [from, to] = [join(folder, path), join(this.target, path)];
    const there = await lstatIfThere(to);
    const before = this.written.get(path);
    const isOther = before !== undefined && there !== undefined && !await areSame(from, to);
    this.written.set(path, {
      path,
      hosts: [...before?.hosts ?? [], host],
      isClash: isOther || (before?.isClash ?? false),
      isDirectory: info.isDirectory,
    });
    if (info.isDirectory && there?.isDirectory) return;
    // Results of earlier runs, of which none goes.
    if (there?.isDirectory && !this.#made.has(path)) return;
    if (there?.isDirectory || info.isDirectory) await removeTreeIfThere(to);
    if (info.isDirectory) {
      Deno.mkdirSync(to, { mode: 0o700 });
      takeAfter(to, { ...info, mode: (info.mode ?? 0) | 0o700 });
      this.#made.add(path);
    } else {
      await moveTree(from, to, { part: join(dirname(to), `.mlcli-${crypto.randomUUID()}`) });
    }
  }
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

/**
 * Whether both are directories, links that say the same, or files of the same bytes. A file that cannot be
 * read is not the same.
 */
async function areSame(one: string, other: string): Promise<boolean> {
  const [first, second] = [Deno.lstatSync(one), Deno.lstatSync(other)];
  if (first.isDirectory && second.isDirectory) return true;
  if (first.isSymlink && second.isSymlink) {
    return Deno.readLinkSync(one) === Deno.readLinkSync(other);
  }
  if (!first.isFile || !second.isFile || first.size !== second.size) return false;
  const hashes = Promise.all([hashOf(one), hashOf(other)]);
  return await hashes.then(([first, second]) => first === second, () => false);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const piece of file.readable) hash.update(piece);
  return hash.digest("hex");
}
