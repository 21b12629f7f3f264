import { join } from "@std/path/join";
import { isPlaceholder } from "../../app/layout.ts";
import { lstatIfThere, statIfThere } from "../../files.ts";
import { sha256 } from "../../text.ts";

export interface Tree {
  /** The files and links in it, by their paths in it with slashes, and what tells them from others. */
  readonly files: ReadonlyMap<string, string>;
  /** Of the files that are no links, in bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The directories in it that can be listed, by their paths in it: itself is the empty one. */
  readonly folders: readonly string[];
  /** When a file in it was last written, added or removed; undefined where nothing is there. */
  readonly changed: Date | undefined;
}

export type Identity =
  /** Its content, so that writing the same again is no change; that of a large one by its times. */
  | "content"
  /** Its size and when it was written, which is quick. */
  | "times";

/** The most files that are looked at. A directory with more is none that somebody edits by hand. */
export const MOST_FILES = 20_000;

/** The largest file whose content is looked at, in bytes. Code is smaller, weights are larger. */
const LARGEST_CONTENT = 256 * 1024;

/** What editors keep beside the file that is being edited: vim's, Emacs's, JetBrains' and others'. */
const EDITORS_OWN = /^(?:\..*\.sw[a-z]|4913|.*~|\.#.*|#.*#|.*___jb_(?:tmp|old)___)$/;

/**
 * Looks at a directory; what is no data and no code, and editors' own files, aside. Links in it are
 * not followed. What goes away meanwhile, or may not be read, is not in it.
 *
 * @param isLeftOut whether something is not looked at, by its path in there.
 * @returns undefined where it holds too many files to be looked at.
 */
export async function treeIn(
  directory: string,
  identity: Identity,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<Tree | undefined> {
  const files = new Map<string, string>();
  const sizes = new Map<string, number>();
  const listed: string[] = [];
  let changed = 0;
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const path = join(directory, folder);
    changed = Math.max(changed, await writtenAt(path));
    const entries = entriesOf(path);
    if (entries === undefined) continue;
    listed.push(folder);
    for (const { name, isDirectory, isFile, isSymlink } of entries) {
      if (isPlaceholder(name) || EDITORS_OWN.test(name)) continue;
      const inside = folder === "" ? name : `${folder}/${name}`;
      if (isLeftOut(inside)) continue;
      if (isDirectory) folders.push(inside);
      if (!isFile && !isSymlink) continue;
      const info = await lstatIfThere(join(path, name)).catch(() => undefined);
      if (info === undefined) continue;
      changed = Math.max(changed, info.mtime?.getTime() ?? 0);
      if (info.isFile) sizes.set(inside, info.size);
      files.set(inside, await stateOf(join(path, name), info, identity));
      if (files.size + folders.length > MOST_FILES) return undefined;
    }
  }
  return { files, sizes, folders: listed, changed: changed === 0 ? undefined : new Date(changed) };
}

/** The paths of what was added, written or removed between two moments, sorted. */
export function changedBetween(before: Tree, after: Tree): readonly string[] {
  const paths = new Set([...before.files.keys(), ...after.files.keys()]);
  return [...paths].filter((path) => before.files.get(path) !== after.files.get(path)).sort();
}

/** A short text that is the same for the same files: 64 bits of a hash, in hexadecimal digits. */
export async function fingerprintOf({ files }: Pick<Tree, "files">): Promise<string> {
  const sorted = [...files].sort(([one], [other]) => one < other ? -1 : 1);
  return (await sha256(JSON.stringify(sorted))).slice(0, 16);
}

/** In ms since 1970; 0 where nothing is there. */
async function writtenAt(path: string): Promise<number> {
  const info = await statIfThere(path).catch(() => undefined);
  return info?.mtime?.getTime() ?? 0;
}

function entriesOf(path: string): readonly Deno.DirEntry[] | undefined {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return undefined; // it went away, or is not readable: then whoever needs it says so
  }
}

async function stateOf(path: string, info: Deno.FileInfo, identity: Identity): Promise<string> {
  if (info.isSymlink) return `link ${await Deno.readLink(path).catch(() => "")}`;
  if (identity === "content" && info.size <= LARGEST_CONTENT) {
    const content = await Deno.readFile(path).catch(() => undefined);
    if (content !== undefined) return await sha256(content);
  }
  return `${info.size} ${info.mtime?.getTime() ?? 0}`;
}
