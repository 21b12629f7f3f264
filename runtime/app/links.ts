/**
 * Where the links of a directory lead: one rule for data, models and code, in runs, builds, uploads and
 * archives. A link is resolved on the host. If its target lies inside a boundary and is not private, the
 * target arrives as content; any other link is broken.
 */

import { SEPARATOR, SEPARATOR_PATTERN } from "@std/path/constants";
import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { PATHS } from "../contract/jobs.ts";
import { fileErrorReason, isMissing, MlcliError } from "../errors.ts";
import { MOST_LINKS, realPathOf, statIfThere } from "../files.ts";
import { counted } from "../quantities.ts";
import { inOneLine } from "../text.ts";
import { boundaryOf, type Escape, escapeTo } from "./confinement.ts";
import { holdsPrivateKey } from "./private_files.ts";
import { isOutside } from "./typed_path.ts";

/** The directory of one repository in the cache of the Hugging Face Hub, which its links stay in. */
const HUB_CACHE = /^(.*[/\\](?:models|datasets)--[^/\\]+)[/\\]snapshots(?:[/\\]|$)/;

/** What containers write, also after it has become the current model or a result. */
const WRITTEN =
  /^.*[/\\]mlcli_base[/\\]local_test[/\\](?:test_dir[/\\](?:model|output|checkpoints)|jobs[/\\][^/\\]+(?:[/\\][^/\\]+)?)(?=[/\\]|$)/;

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
  return WRITTEN.exec(real)?.[0] ?? (isThere ? await boundaryOf(real) : real);
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
 */
export function followLink(
  link: string,
  boundary: string,
  above: readonly string[] = [],
): Followed {
  let shown = "";
  try {
    shown = Deno.readLinkSync(link);
    const { target, crossed } = resolve(Deno.realPathSync(dirname(link)), basename(link));
    if (target === undefined || above.some((one) => !isOutside(relative(target, one)))) {
      const words = target === undefined ? "leads to itself" : `leads in a circle, to ${target}`;
      return { target: undefined, words, isCircle: true };
    }
    const escape = escapeTo(target, withSharedBlobs(boundary, target)) ??
      crossed.map((one) => escapeFromWritten(one, target)).find(Boolean);
    if (escape !== undefined) return { target: undefined, words: escape.words, escape };
    const info = Deno.lstatSync(target);
    if (!info.isFile || !holdsPrivateKey(target)) return { target, info };
    const words = `leads to what is private: ${target}`;
    return { target: undefined, words, escape: { target, isPrivate: true, words } };
  } catch (error) {
    const reason = isMissing(error)
      ? "does not exist"
      : `cannot be read: ${fileErrorReason(error)}`;
    return { target: undefined, words: `leads to ${shown}, which ${reason}` };
  }
}

/** What an absolute path starts with, on Windows with a drive. */
const ROOT = /^(?:[A-Za-z]:)?[/\\]/;

/** The model in `written`, which its container has as `/opt/ml/model`. */
const MODEL = /^.*[/\\]model(?=[/\\]|$)/;

/**
 * Resolves links one by one.
 *
 * @returns the real path, and the directories in which links lie on the way to it; without a path for a
 * link to itself.
 */
function resolve(folder: string, name: string) {
  const crossed: string[] = [];
  let path = folder;
  let names = [name];
  while (names.length > 0) {
    const [next, ...rest] = names;
    names = rest;
    if (next === "..") path = dirname(path);
    if (next === "" || next === "." || next === "..") continue;
    const inner = join(path, next!);
    if (!Deno.lstatSync(inner).isSymlink) {
      path = inner;
      continue;
    }
    if (crossed.push(path) > MOST_LINKS) return { target: undefined, crossed };
    const text = onHost(path, Deno.readLinkSync(inner));
    const [root = ""] = ROOT.exec(text) ?? [];
    if (root !== "") path = root;
    names = [...text.slice(root.length).split(SEPARATOR_PATTERN), ...rest];
  }
  return { target: path, crossed };
}

/** Returns the path on the host that a container meant, which wrote a link into its model. */
function onHost(folder: string, text: string): string {
  const model = MODEL.exec(WRITTEN.exec(folder)?.[0] ?? "")?.[0];
  const inner = relative(PATHS.model, text);
  return model === undefined || !text.startsWith("/") || isOutside(inner)
    ? text
    : join(model, inner);
}

/** The cache keeps files of several repositories in one place (huggingface_hub, pull request 4498). */
function withSharedBlobs(boundary: string, target: string): string {
  const blobs = join(dirname(boundary), "blobs");
  const isCache = /^(models|datasets)--/.test(basename(boundary));
  return isCache && !isOutside(relative(blobs, target)) ? blobs : boundary;
}

/** A container may have planted the link: it must not lead to what the caller alone can read. */
function escapeFromWritten(folder: string, target: string): Escape | undefined {
  const written = WRITTEN.exec(folder)?.[0];
  return written === undefined ? undefined : escapeTo(target, written);
}

/** The error for a broken link. @param shown its path as the user would type it. */
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
  "Put the file or directory itself there, or remove the link. mlcli follows links inside the " +
  "repository or the directory that you named, but not to private files, and not out of a directory " +
  "that a container wrote to.";

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
 */
export function* nodesIn(
  directory: string,
  boundary: string,
  { skips = () => false, follows = () => true }: {
    readonly skips?: (name: string, path: string) => boolean;
    readonly follows?: (path: string, target?: string) => boolean;
  } = {},
): Generator<Node, void, void> {
  const root = realPath(directory);
  if (root === undefined) return;
  yield { path: "", source: root, kind: "directory", isLink: false };
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
        ? linkNode(path, place, followLink(place, boundary, above), follows)
        : { path, source: place, kind: kindOf(entry), isLink: false };
      yield node;
      if (node.kind !== "directory") continue;
      open.push({ path, real: node.source, above: [...above, node.source] });
    }
  }
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
  const words = target === undefined ? followed.words : `leads to ${target}`;
  return { path, source: place, kind: "link", isLink: true, words, isKept };
}
