/**
 * Where the links of a directory lead: one rule for data, models and code, in runs, builds, uploads and
 * archives. A link is resolved on the host. If its target lies inside a boundary and is not private, the
 * target arrives as content; any other link is broken.
 */

import { SEPARATOR } from "@std/path/constants";
import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { fileErrorReason, isMissing, MlcliError } from "../errors.ts";
import { realPathOf, statIfThere } from "../files.ts";
import { counted } from "../quantities.ts";
import { inOneLine } from "../text.ts";
import { boundaryOf, escapeTo } from "./confinement.ts";
import { holdsPrivateKey } from "./private_files.ts";
import { isOutside } from "./typed_path.ts";
import { type Escape, escapeOfCrossed, resolved, writtenTop } from "./written.ts";

/** The directory of one repository in the cache of the Hugging Face Hub, which its links stay in. */
const HUB_CACHE = /^(.*[/\\](?:models|datasets)--[^/\\]+)[/\\]snapshots(?:[/\\]|$)/;

/**
 * Returns the real path of the directory that links below a directory must not lead out of.
 *
 * @param directory absolute path.
 * @param repository boundary of the app, which applies to what lies inside it.
 */
export async function linkBoundary(directory: string, repository?: string): Promise<string> {
  const real = await realPathOf(directory);
  // https://huggingface.co/docs/huggingface_hub/guides/manage-cache
  const cached = HUB_CACHE.exec(real)?.[1];
  if (cached !== undefined) return cached;
  if (repository !== undefined && !isOutside(relative(repository, real))) return repository;
  const isThere = await statIfThere(real) !== undefined;
  return writtenTop(real) ?? (isThere ? await boundaryOf(real) : real);
}

/** What a link leads to. */
export type Followed =
  | { readonly target: string; readonly info: Deno.FileInfo }
  | {
    readonly target: undefined;
    /** `leads to ../x, which does not exist` */
    readonly words: string;
    /** Set for a target that exists but must not be used. */
    readonly escape?: Escape;
    /** Whether it leads to itself, or to a directory that it lies in. */
    readonly isCircle?: boolean;
  };

/**
 * Follows a link.
 *
 * @param above real paths of the directories that a walk is in: a link to one of them is a circle.
 * @param known `escapeTo`, or one that remembers its answers.
 */
export function followLink(
  link: string,
  boundary: string,
  above: readonly string[] = [],
  known = escapeTo,
): Followed {
  let shown = "";
  try {
    shown = Deno.readLinkSync(link);
    const start = Deno.realPathSync(dirname(link));
    const { target, crossed } = resolved(basename(link), start);
    if (target === undefined || above.some((one) => !isOutside(relative(target, one)))) {
      const words = target === undefined ? "points to itself" : `forms a loop with ${target}`;
      return { target: undefined, words, isCircle: true };
    }
    const escape = escapeOfCrossed(crossed, target) ??
      (isSharedBlob(start, boundary, target) ? undefined : known(target, boundary));
    if (escape !== undefined) return { target: undefined, words: escape.words, escape };
    const info = Deno.lstatSync(target);
    if (!info.isFile || !holdsPrivateKey(target)) return { target, info };
    const words = `points to private data: ${target}`;
    return { target: undefined, words, escape: { target, isPrivate: true, words } };
  } catch (error) {
    const reason = isMissing(error)
      ? "does not exist"
      : `cannot be read: ${fileErrorReason(error)}`;
    return { target: undefined, words: `points to ${shown}, which ${reason}` };
  }
}

/** Returns whether the cache shares a target between repositories (huggingface_hub, pull request 4498). */
function isSharedBlob(start: string, boundary: string, target: string): boolean {
  return HUB_CACHE.exec(start)?.[1] === boundary &&
    !isOutside(relative(join(dirname(boundary), "blobs"), target));
}

/** Returns the error for a broken link. @param shown its path as the user would type it. */
export function brokenLink(shown: string, { words }: { readonly words: string }): MlcliError {
  return new MlcliError(inOneLine(`${shown} ${words}`), { hint: REPLACE });
}

/** Returns what to tell about broken links. @param links their paths as the user would type them. */
export function brokenLinks(
  links: readonly string[],
): { readonly message: string; readonly hint: string } {
  const [first = "", ...others] = [...links].sort();
  const more = others.length === 0 ? "" : ` (and ${counted(others.length, "more link")})`;
  return { message: inOneLine(first) + more, hint: REPLACE };
}

export const REPLACE =
  "Remove the link, or replace it with the file or directory itself. Links must stay inside the " +
  "repository or the named directory, and must not point to private data.";

/** Something in a directory, links followed. */
export interface Node {
  /** Below the directory, with slashes. */
  readonly path: string;
  /** Real path of the content; of a `link`, its own path. */
  readonly source: string;
  /** A `link` is not followed; `other` are pipes, sockets and devices; `closed` is a directory that cannot be listed. */
  readonly kind: "file" | "directory" | "link" | "other" | "closed";
  readonly isLink: boolean;
  /** Of a `link`. */
  readonly words?: string;
  /** Whether a `link` is not broken: it leads in a circle, or is not to be followed. */
  readonly isKept?: boolean;
}

/**
 * Walks through a directory, links followed. A directory comes before its content, the directory itself
 * (its path is empty) first. A directory that does not exist is empty.
 *
 * @param skips what is not looked at, by its name and its path below the directory.
 * @param follows whether a link is to be followed, by its path and what it leads to, if that is known.
 * @param enters whether the content of a directory is wanted, by its path.
 * @throws MlcliError if links lead to more than 10,000 directories.
 */
export function* nodesIn(
  directory: string,
  boundary: string,
  { skips = () => false, follows = () => true, enters = () => true }: {
    readonly skips?: (name: string, path: string) => boolean;
    readonly follows?: (path: string, target?: string) => boolean;
    readonly enters?: (path: string) => boolean;
  } = {},
): Generator<Node, void, void> {
  const root = realPath(directory);
  if (root === undefined) return;
  yield { path: "", source: root, kind: "directory", isLink: false };
  // Many links can lead to one directory, and each search of it for private names costs time.
  const escapes = new Map<string, Escape | undefined>();
  const known = (target: string, boundary: string): Escape | undefined => {
    if (!escapes.has(target)) escapes.set(target, escapeTo(target, boundary));
    return escapes.get(target);
  };
  let linkedFolders = 0;
  const open = [{ path: "", real: root, above: [root] }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const { real, above } = folder;
    let entries: readonly Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(real)];
    } catch {
      yield { path: folder.path, source: real, kind: "closed", isLink: false };
      continue;
    }
    for (const entry of entries) {
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
      if (skips(entry.name, path)) continue;
      // Not `join`, which takes as long as all the rest: there may be very many.
      const place = `${real}${SEPARATOR}${entry.name}`;
      const node = entry.isSymlink
        ? linkNode(path, place, followLink(place, boundary, above, known), follows)
        : { path, source: place, kind: kindOf(entry), isLink: false };
      const isLinkedFolder = node.isLink && node.kind === "directory";
      if (isLinkedFolder && ++linkedFolders > MOST_LINKED_FOLDERS) throw tooMany(directory);
      yield node;
      if (node.kind !== "directory" || !enters(path)) continue;
      open.push({ path, real: node.source, above: [...above, node.source] });
    }
  }
}

/** A few links to each other can stand for any number of paths. */
const MOST_LINKED_FOLDERS = 10_000;

function tooMany(directory: string): MlcliError {
  const shown = inOneLine(directory);
  return new MlcliError(`Links in ${shown} point to more than ${MOST_LINKED_FOLDERS} directories`, {
    hint: "Remove links to directories that contain links, or use another directory",
  });
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

type Kind = Node["kind"];

function kindOf({ isFile, isDirectory }: Pick<Deno.DirEntry, "isFile" | "isDirectory">): Kind {
  return isFile ? "file" : isDirectory ? "directory" : "other";
}

function linkNode(
  path: string,
  place: string,
  followed: Followed,
  follows: (path: string, target?: string) => boolean,
): Node {
  const { target } = followed;
  if (target !== undefined && follows(path, target)) {
    return { path, source: target, kind: kindOf(followed.info), isLink: true };
  }
  const isKept = target !== undefined || followed.isCircle === true || !follows(path);
  const words = target === undefined ? followed.words : `points to ${target}`;
  return { path, source: place, kind: "link", isLink: true, words, isKept };
}
