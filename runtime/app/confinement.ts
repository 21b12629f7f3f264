/**
 * Where an app's paths may lead. A repository that somebody clones can hold links, and what mlcli
 * reads and mounts is seen by its code, which has the network; what it hands over afterwards changes
 * its owner. So nothing of an app may lead out of the repository, nor to what is private in it.
 *
 * Checked before anything is touched. What another process of the same user changes between that and
 * its use is outside of what this can hold.
 *
 * @module
 */

import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { SEPARATOR_PATTERN } from "@std/path/constants";
import { dirname } from "@std/path/dirname";
import { MlcliError } from "../errors.ts";
import { lstatIfThere, realPathOf } from "../files.ts";
import { isPrivateName } from "./private_names.ts";
import { leaves, typedPath } from "./typed_path.ts";

/** What is confined, and to where. */
export interface Confined {
  /** The directory of `NAME.json`: paths in messages are relative to it. */
  readonly directory: string;
  /** Real path of what nothing may lead out of. */
  readonly boundary: string;
}

/** Somewhere that a path must not lead. */
export interface Escape {
  /** Real path of what it leads to. */
  readonly target: string;
  /** Whether it is inside, but nobody's business. */
  readonly isPrivate: boolean;
  /** `leads out of /home/me/clone, to /etc` */
  readonly words: string;
}

/**
 * The git work tree that a directory is in; without one, the directory itself. As a real path.
 * (`.git` is a file in a submodule and in a further work tree.)
 */
export async function boundaryOf(directory: string): Promise<string> {
  const real = await Deno.realPath(directory);
  for (let folder = real;; folder = dirname(folder)) {
    if (await holdsRepository(folder)) return folder;
    if (dirname(folder) === folder) return real;
  }
}

/**
 * Whether git takes a directory for the top of a work tree. One that belongs to somebody else than
 * the directory, or root, is none (as with git's own `safe.directory`): a `.git` that a stranger
 * makes in /tmp must not let all of /tmp in.
 */
async function holdsRepository(folder: string): Promise<boolean> {
  const git = join(folder, ".git");
  const info = await lstatIfThere(git);
  if (info === undefined) return false;
  const isOwned = info.uid === 0 || info.uid === (await Deno.lstat(folder)).uid;
  if (!isOwned || !info.isDirectory) return isOwned;
  try {
    return await lstatIfThere(join(git, "HEAD")) !== undefined;
  } catch (error) {
    // Closed, and so somebody's repository.
    if (error instanceof Deno.errors.PermissionDenied) return true;
    throw error;
  }
}

/** Where a path leads that it must not; `undefined` when all is well, or nothing is there. */
export async function escapeOf(confined: Confined, path: string): Promise<Escape | undefined> {
  const [escape] = await escapesOf(confined, [path]);
  return escape;
}

async function escapesOf(
  { directory, boundary }: Confined,
  paths: readonly string[],
): Promise<readonly (Escape | undefined)[]> {
  const root = await Deno.realPath(directory);
  return await Promise.all(paths.map(async (path) => {
    const target = await realPathOf(path);
    // Without a link on the way it is what it is called.
    return target === join(root, relative(directory, path))
      ? undefined
      : await escapeTo(target, boundary);
  }));
}

async function escapeTo(target: string, boundary: string): Promise<Escape | undefined> {
  const inner = relative(boundary, target);
  if (leaves(inner)) {
    return { target, isPrivate: false, words: `leads out of ${boundary}, to ${target}` };
  }
  const found = inner.split(SEPARATOR_PATTERN).some(isPrivateName)
    ? target
    : await privateBelow(target);
  if (found === undefined) return undefined;
  return { target, isPrivate: true, words: `leads to what is private: ${found}` };
}

/** `.env.example` and its likes, which show what a private file is to hold, and hold nothing. */
const TEMPLATE = /\.(example|sample|template|dist)$/i;

/** Something of a private name in a directory, at any depth. */
async function privateBelow(directory: string): Promise<string | undefined> {
  if (!(await lstatIfThere(directory))?.isDirectory) return undefined;
  try {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      const path = join(directory, name);
      const isPrivate = isPrivateName(name) && !TEMPLATE.test(name);
      const found = isPrivate ? path : isDirectory ? await privateBelow(path) : undefined;
      if (found !== undefined) return found;
    }
  } catch (error) {
    // What mlcli may not read is not known to be harmless, and root's container may read it.
    if (error instanceof Deno.errors.PermissionDenied) return directory;
    throw error;
  }
}

/**
 * Holds that paths of an app lead nowhere else.
 *
 * @param paths absolute; those nearer to the top first, since the first that is wrong is named.
 * @param remedy what to do instead, given the path and what it leads to.
 * @throws MlcliError
 */
export async function requireInside(
  confined: Confined,
  paths: readonly string[],
  remedy: (path: string, target: string) => string = () => PUT_IT_THERE,
): Promise<void> {
  for (const [index, escape] of (await escapesOf(confined, paths)).entries()) {
    if (escape === undefined) continue;
    const path = paths[index]!;
    throw new MlcliError(`${typedPath(confined.directory, path)} ${escape.words}`, {
      // What may be private is for the user to name, and for no hint.
      hint: escape.isPrivate ? PUT_IT_THERE : remedy(path, escape.target),
    });
  }
}

/** The remedy where there is no other. */
export const PUT_IT_THERE =
  "A link may lead anywhere in the repository, but not out of it: put the " +
  "thing itself there.";
