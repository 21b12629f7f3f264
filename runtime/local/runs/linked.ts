/**
 * Inputs of a run, as its container gets them: mlcli rebuilds a directory with links in the directory of the
 * run, by mounts of the link targets, or by hard links.
 */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { isJunk } from "../../app/junk.ts";
import { brokenLinks, linkBoundary, type Node, nodesIn } from "../../app/links.ts";
import { isPlaceholder } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { pointerMessage, pointersAmong } from "../../app/pointers.ts";
import { typedPath, type Viewpoint } from "../../app/typed_path.ts";
import { writtenTop } from "../../app/written.ts";
import type { Channel } from "../../contract/channels.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import { isDirectory, linkOrCopy, setMode } from "../../files.ts";
import { type Message, warning } from "../../messages.ts";
import { LINKED } from "../../model/runs.ts";
import { inOneLine, listed } from "../../text.ts";
import { isSharded } from "../../contract/hosts.ts";
import type { BatchJob } from "../jobs.ts";
import type { InputMount } from "../plan.ts";

/** How many entries of a directory are looked at: that takes some 20 ms. */
const MOST_ENTRIES = 20_000;

/** Maximum number of mounts for a directory. */
const MOST_MOUNTS = 100;

/** A directory that a run reads. */
export interface InputFolder extends Channel {
  /** Its path in the container. */
  readonly path: string;
}

/** A directory that a run reads, and what was found in it. */
export interface LookedAt extends InputFolder {
  readonly boundary: string;
  readonly links: readonly Node[];
  /** Paths of files and directories below it, with slashes. */
  readonly junk: readonly string[];
  /** Paths of files below it, with slashes. */
  readonly files: readonly string[];
  /** Whether all of it was looked at. */
  readonly isWhole: boolean;
}

/** Looks through the directories that a run reads. */
export async function lookAt(
  { boundary: repository }: Pick<Paths, "boundary">,
  data: readonly InputFolder[],
): Promise<readonly LookedAt[]> {
  return await Promise.all(data.map(async (one) => {
    const boundary = await linkBoundary(one.source, repository);
    const links: Node[] = [];
    const junk: string[] = [];
    const files: string[] = [];
    let count = 0;
    for (const node of nodesIn(one.source, boundary)) {
      if (count++ > MOST_ENTRIES) break;
      const { path, kind, isLink } = node;
      if (isLink) links.push(node);
      if (isJunk(nameOf(path))) junk.push(path);
      else if (kind === "file") files.push(path);
    }
    return { ...one, boundary, links, junk, files, isWhole: count <= MOST_ENTRIES + 1 };
  }));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** How a run gets a directory. */
export interface Linked extends Channel {
  /** The directory itself, or what is made in its place. */
  readonly source: string;
  /** What is mounted in it. */
  readonly mounts: readonly InputMount[];
  /** What is made in its place: mount points for some of its entries, or hard links to all its files. */
  readonly makes: readonly Node[] | "hard links";
  readonly from: LookedAt;
}

/**
 * Plans how a run gets directories. Nothing is made.
 *
 * @param directory of the run.
 * @param hasCode whether code lies among the files.
 */
export function planLinked(
  data: readonly LookedAt[],
  directory: string,
  { copyInputs, hosts }: Pick<BatchJob, "copyInputs" | "hosts">,
  hasCode = false,
): readonly Linked[] {
  return data.map((from) => {
    const { name, source, boundary, links } = from;
    // The directories in which a link is followed, at any depth.
    const open = new Set(
      links.filter(({ kind }) => kind !== "link").flatMap(({ path }) => foldersOf(path)),
    );
    // A container may be writing there. Its own links work in the container that gets the directory.
    const isWritten = writtenTop(Deno.realPathSync(source)) !== undefined;
    if (open.size === 0 || isWritten) return { name, source, mounts: [], makes: [], from };
    const own = join(directory, LINKED, name);
    // Files that are copied or sharded have to lie in one directory.
    const made = hasCode || copyInputs || isSharded(hosts.shards, name)
      ? []
      : [...nodesIn(source, boundary, { enters: (path) => open.has(path) })].slice(1);
    requireNames(made);
    const mounts = made.filter(({ path, kind }) =>
      !open.has(path) && (kind === "file" || kind === "directory")
    ).map(({ path, source }) => ({ path, source }));
    return made.length === 0 || mounts.length > MOST_MOUNTS
      ? { name, source: own, mounts: [], makes: "hard links", from }
      : { name, source: own, mounts, makes: made, from };
  });
}

/** Requires names that Deno shows as they are: the engine would not find others. @throws MlcliError */
function requireNames(nodes: readonly Node[]): void {
  const node = nodes.find(({ path }) => path.includes("\ufffd"));
  if (node === undefined) return;
  throw new MlcliError(`Cannot mount ${inOneLine(node.path)}: its name is not UTF-8`, {
    hint: "Rename the file: mlcli mounts files next to a link one by one, by their names",
  });
}

/** Returns the folders that a path lies in: `a/b`, `a` and the empty one for `a/b/c`. */
function foldersOf(path: string): readonly string[] {
  const folder = folderOf(path);
  return folder === "" ? [""] : [folder, ...foldersOf(folder)];
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/**
 * Makes what was planned. Hard links are the user's own files: nothing may change their modes or owners.
 *
 * @throws MlcliError for what cannot be linked or copied; the signal's reason.
 */
export async function layLinked(
  all: readonly Linked[],
  place: Viewpoint,
  signal: AbortSignal,
): Promise<void> {
  for (const { source: to, makes, from } of all) {
    if (makes.length === 0) continue;
    const hasFiles = makes === "hard links";
    await makeFolder(to);
    for (const node of hasFiles ? nodesIn(from.source, from.boundary) : makes) {
      signal.throwIfAborted();
      try {
        await layNode(join(to, node.path), node, hasFiles);
      } catch (cause) {
        const shown = inOneLine(typedPath(place, join(from.source, node.path)));
        throw new MlcliError(`Cannot copy ${shown} for the container: ${fileErrorReason(cause)}`, {
          hint: "Check its permissions and the free disk space: mlcli copies the files of a " +
            "directory that contains links",
          cause,
        });
      }
    }
  }
}

async function layNode(to: string, { source, kind }: Node, hasFiles: boolean): Promise<void> {
  switch (kind) {
    case "directory":
      return await makeFolder(to);
    case "link":
      return Deno.symlinkSync(Deno.readLinkSync(source), to);
    case "file":
      if (!hasFiles) return Deno.writeTextFileSync(to, "");
      return await linkOrCopy(source, to);
    case "closed":
      if (hasFiles) throw new Deno.errors.PermissionDenied("Permission denied");
      return;
    case "other":
      return;
  }
}

/** Makes a directory that the user of any image can read, with its parents. */
export async function makeFolder(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  await makeFolder(dirname(path));
  Deno.mkdirSync(path);
  await setMode(path, 0o755);
}

/**
 * Returns warnings about files that the container does not find as the user might expect.
 *
 * @throws MlcliError for a broken link if `isStrict`.
 */
export function brokenDifferences(
  place: Viewpoint,
  all: readonly LookedAt[],
  isStrict: boolean,
): readonly Message[] {
  return all.flatMap(({ source, links: found }) => {
    // Editors keep such links beside a file that is open.
    const broken = found.filter(({ path, kind, isKept }) =>
      kind === "link" && !isKept && !nameOf(path).startsWith(".#")
    );
    if (broken.length === 0) return [];
    const { message, hint } = brokenLinks(
      broken.map(({ path, words }) => `${typedPath(place, join(source, path))} ${words}`),
    );
    if (isStrict) throw new MlcliError(message, { hint });
    return [warning(message, hint)];
  });
}

/** Returns notes about entries that were not looked at, and about files that uploads leave out. */
export function notesOn(
  place: Viewpoint,
  all: readonly LookedAt[],
): readonly string[] {
  return all.flatMap(({ source, junk, isWhole }) => {
    const shown = inOneLine(typedPath(place, source));
    return [
      ...isWhole ? [] : [
        `${shown} contains more than ${MOST_ENTRIES} files; mlcli checked only the first ones for ` +
        "links and Git LFS pointers",
      ],
      ...junk.length === 0 ? [] : [
        `The container sees files of ${shown} that uploads skip: ${listed(junk)}`,
      ],
    ];
  });
}

/**
 * Returns a warning for each directory that contains pointers instead of files.
 *
 * @throws MlcliError if one of them contains only pointers, or if `isStrict`.
 */
export function pointerDifferences(
  place: Viewpoint,
  all: readonly LookedAt[],
  isStrict: boolean,
): readonly Message[] {
  const found: Message[] = [];
  let others = 0;
  for (const { source, files } of all) {
    const data = files.filter((path) => !isPlaceholder(nameOf(path)));
    const { pointer, found: pointers, others: more } = pointersAmong(source, data);
    others += more;
    if (pointer === undefined) continue;
    const shown = pointers.map((path) => typedPath(place, join(source, path)));
    const { message, hint } = pointerMessage(pointer, shown);
    found.push(warning(message, hint));
  }
  const [first] = found;
  if (first !== undefined && (isStrict || others === 0)) {
    throw new MlcliError(first.message, { hint: first.hint });
  }
  return found;
}
