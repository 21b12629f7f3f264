/**
 * What several hosts wrote, in one directory, as SageMaker puts it into one archive or below one prefix.
 * Code of a stranger may have made the trees: no link in them is followed, and only files are opened.
 */

import { createHash } from "node:crypto";
import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { isPlaceholder } from "../../app/layout.ts";
import { isMissing, MlcliError, systemCode } from "../../errors.ts";
import { makeDirectory, moveTree, removeTreeIfThere, setMode } from "../../files.ts";
import { inOneLine, listed } from "../../text.ts";
import { takeAfter } from "../runs/sift.ts";
import { treeIn } from "../watch/tree.ts";

/** What a host wrote. */
export interface HostFolder {
  readonly host: string;
  readonly path: string;
}

/** What several hosts wrote under one name, and not the same. */
export interface Clash {
  /** Its path in the directory, with slashes. */
  readonly path: string;
  readonly hosts: readonly string[];
}

/** Something that is there. */
interface Found extends HostFolder {
  readonly info: Deno.FileInfo;
}

/**
 * Moves what each host wrote into a directory. What is the same is there once; else the last host's stays,
 * as it may on SageMaker, which does not say whose does. A file that was in the directory before gives way
 * to one of a host.
 *
 * @param folders the hosts' directories, in the order of the hosts. They are gone afterwards.
 * @param isRestored whether each began as a copy of the directory. What a host has not changed is not its
 * own then; what is gone from some, and changed by none, goes, as SageMaker passes deletions on. So this
 * must not be done again where it was cut off.
 * @throws MlcliError where something could not be merged, which stays in the host's directory; Error of
 * the system.
 */
export async function mergeHosts(
  target: string,
  folders: readonly HostFolder[],
  { isRestored }: { readonly isRestored: boolean },
): Promise<readonly Clash[]> {
  const there = folders.filter(({ path }) => foundAt(path)[0]?.info.isDirectory);
  const merge = new Merge(there.length, isRestored);
  await makeDirectory(target);
  await merge.folders(target, there);
  const left = there.filter(({ path }) => foundAt(path).length > 0);
  if (left.length === 0) return merge.clashes;
  const hosts = listed(left.map(({ host }) => host));
  throw new MlcliError(`Not all that ${hosts} wrote can be put into ${inOneLine(target)}`, {
    hint: "A name is not UTF-8, or a file has the name of a directory there. It stays in " +
      listed(left.map(({ path }) => path)),
  });
}

class Merge {
  readonly clashes: Clash[] = [];

  constructor(private readonly hosts: number, private readonly isRestored: boolean) {}

  async folders(target: string, folders: readonly HostFolder[], inside = ""): Promise<void> {
    for (const { path } of folders) await open(path);
    const sources = this.isRestored ? [...folders, { path: target }] : folders;
    for (const name of new Set(sources.flatMap(({ path }) => namesIn(path)))) {
      const all = folders.map(({ host, path }) => ({ host, path: join(path, name) }));
      await this.#entry(join(target, name), all, inside + name);
    }
    for (const { path } of folders) removeIfEmpty(path);
  }

  /** Merges what has one name. */
  async #entry(to: string, paths: readonly HostFolder[], inside: string): Promise<void> {
    const all = paths.flatMap(({ host, path }) => foundAt(path, host));
    const [there] = foundAt(to);
    const written = await this.#written(all, there);
    const isTree = ({ info }: Found) => info.isDirectory;
    if (!written.every(isTree) && !await areSame(written)) {
      this.clashes.push({ path: inside, hosts: written.map(({ host }) => host) });
    }
    // As if each host's were put over those of the hosts before it.
    const last = written.findLastIndex((one) => !isTree(one));
    const moved = last === written.length - 1 ? written.slice(-1) : written.slice(last + 1);
    for (const one of all) if (!moved.includes(one)) await drop(one.path);
    const [first] = moved;
    const isThere = there?.info.isDirectory ?? false;
    if (moved.length > 1 || isThere && first && isTree(first)) {
      await this.#trees(moved, to, isThere, inside);
    } else if (first) await this.#place(first, to, isThere);
    else if (this.isRestored && all.length < this.hosts && !isPlaceholder(basename(to))) {
      await drop(to);
    }
  }

  /** Which of them their hosts wrote. */
  async #written(all: readonly Found[], there: Found | undefined): Promise<readonly Found[]> {
    if (all.some(({ path }) => isPlaceholder(basename(path)))) return there ? [] : all.slice(-1);
    if (!there || !this.isRestored || all.every(({ info }) => info.isDirectory)) return all;
    const own: Found[] = [];
    for (const one of all) if (!await isUnchanged(one, there)) own.push(one);
    return own;
  }

  async #trees(all: readonly Found[], to: string, isThere: boolean, inside: string): Promise<void> {
    if (!isThere) {
      await drop(to);
      Deno.mkdirSync(to, { mode: 0o700 });
    }
    await this.folders(to, all, `${inside}/`);
    if (!isThere) takeAfter(to, all.at(-1)!.info);
    else if (this.isRestored && all.length < this.hosts) removeIfEmpty(to);
  }

  async #place({ path, info }: Found, to: string, isDirectory: boolean): Promise<void> {
    // Results of earlier runs, of which none goes.
    if (isDirectory && !this.isRestored) return;
    if (isDirectory || info.isDirectory) await drop(to);
    if (info.isDirectory) await open(path);
    await moveTree(path, to, { part: join(dirname(to), `.mlcli-${crypto.randomUUID()}`) });
    if (info.isDirectory) takeAfter(to, info);
  }
}

/** What is at a path, links not followed, and its host; empty where nothing is. */
function foundAt(path: string, host = ""): readonly Found[] {
  try {
    return [{ host, path, info: Deno.lstatSync(path) }];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function namesIn(path: string): readonly string[] {
  return Array.from(Deno.readDirSync(path), ({ name }) => name).sort();
}

/** Lets the caller change what is in a directory, which its owner may have closed. */
async function open(path: string): Promise<void> {
  const { mode } = Deno.lstatSync(path);
  if (mode !== null && (mode & 0o700) !== 0o700) await setMode(path, mode & 0o777 | 0o700);
}

/** Removes what is at a path, directories that are closed included. */
async function drop(path: string): Promise<void> {
  try {
    await removeTreeIfThere(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    await open(path);
    for (const { name, isDirectory } of Deno.readDirSync(path)) {
      if (isDirectory) await drop(join(path, name));
    }
    await removeTreeIfThere(path);
  }
}

function removeIfEmpty(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOTEMPTY") throw error;
  }
}

/** Whether all are files of the same bytes, or links that say the same; not where one cannot be read. */
async function areSame(all: readonly Found[]): Promise<boolean> {
  const isOne = (values: readonly unknown[]) => new Set(values).size < 2;
  if (all.length < 2) return true;
  if (all.every(({ info }) => info.isSymlink)) {
    return isOne(all.map(({ path }) => Deno.readLinkSync(path)));
  }
  if (!all.every(({ info }) => info.isFile) || !isOne(all.map(({ info }) => info.size))) {
    return false;
  }
  return await Array.fromAsync(all, ({ path }) => hashOf(path)).then(isOne, () => false);
}

/** Whether a restored copy is as it was. */
async function isUnchanged(copy: Found, original: Found): Promise<boolean> {
  const [one, other] = [copy.info, original.info];
  const isAsOld = one.isFile && other.isFile && one.size === other.size &&
    one.mtime?.getTime() === other.mtime?.getTime();
  return isAsOld || await areSame([copy, original]);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const piece of file.readable) hash.update(piece);
  return hash.digest("hex");
}

/** Whether each of several hosts wrote files of the same names: code without a launcher, run by each. */
export async function sameModel(folders: readonly { readonly path: string }[]): Promise<boolean> {
  const trees = await Promise.all(folders.map(({ path }) => treeIn(path, "times")));
  const [first, ...others] = trees.map((tree) => [...tree?.files.keys() ?? []].sort().join("\0"));
  return !!first && others.length > 0 && others.every((names) => names === first);
}
