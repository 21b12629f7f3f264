import { isPlaceholder } from "../../app/layout.ts";
import { type Node, nodesIn } from "../../app/links.ts";
import { lstatIfThere, statIfThere } from "../../files.ts";
import { sha256 } from "../../text.ts";

export interface Tree {
  /** The files and broken links in it, by their paths in it with slashes, and what tells them from others. */
  readonly files: ReadonlyMap<string, string>;
  /** Of the files, in bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The directories in it that can be listed, by their paths in it: itself is the empty one. */
  readonly folders: readonly string[];
  /** Whether a link was followed. */
  readonly hasLinks: boolean;
  /** Links that lead nowhere or out of the boundary. */
  readonly broken: readonly Node[];
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
 * Looks at a directory, links followed, without placeholders and editors' own files. It leaves out what
 * goes away meanwhile or cannot be read.
 *
 * @param boundary real path of the directory that links must not lead out of.
 * @param isLeftOut whether something is not looked at, by its path in there.
 * @param follows as for `nodesIn`.
 * @returns undefined where it holds too many files to be looked at.
 */
export async function treeIn(
  directory: string,
  identity: Identity,
  boundary: string,
  isLeftOut: (path: string) => boolean = () => false,
  follows: (path: string, target?: string) => boolean = () => true,
): Promise<Tree | undefined> {
  const files = new Map<string, string>();
  const sizes = new Map<string, number>();
  const broken: Node[] = [];
  const folders = new Set<string>();
  let hasLinks = false;
  let changed = 0;
  const skips = (name: string, path: string): boolean =>
    isPlaceholder(name) || EDITORS_OWN.test(name) || isLeftOut(path);
  for (const node of nodesIn(directory, boundary, { skips, follows })) {
    const { path, source, kind } = node;
    hasLinks ||= node.isLink && kind !== "link";
    if (kind === "closed") folders.delete(path);
    if (kind === "directory") {
      folders.add(path);
      changed = Math.max(changed, await writtenAt(source));
    }
    if (kind === "link" && !node.isKept) broken.push(node);
    if (kind !== "file" && kind !== "link") continue;
    const info = await lstatIfThere(source).catch(() => undefined);
    if (info === undefined) continue;
    changed = Math.max(changed, info.mtime?.getTime() ?? 0);
    if (info.isFile) sizes.set(path, info.size);
    // Another target may have the same size and time.
    const target = node.isLink && kind === "file" ? `${source} ` : "";
    files.set(path, target + await stateOf(source, info, identity));
    if (files.size + folders.size > MOST_FILES) return undefined;
  }
  const time = changed === 0 ? undefined : new Date(changed);
  return { files, sizes, folders: [...folders], hasLinks, broken, changed: time };
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

async function stateOf(path: string, info: Deno.FileInfo, identity: Identity): Promise<string> {
  if (info.isSymlink) return `link ${await Deno.readLink(path).catch(() => "")}`;
  if (identity === "content" && info.size <= LARGEST_CONTENT) {
    const content = await Deno.readFile(path).catch(() => undefined);
    if (content !== undefined) return await sha256(content);
  }
  return `${info.size} ${info.mtime?.getTime() ?? 0}`;
}
