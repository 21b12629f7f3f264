/**
 * Where an app's paths may lead. A cloned repository can hold links. Its code sees what mlcli reads
 * and mounts, and can use the network; files that mlcli hands over after a run change their owner.
 * So no path of an app may lead out of the repository, or to something private in it.
 *
 * The check comes before anything is touched. It cannot protect against another process of the same
 * user that changes a path between the check and its use.
 */

import { SEPARATOR_PATTERN } from "@std/path/constants";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { isMissing, MlcliError } from "../errors.ts";
import { lstatIfThere, realPathOf } from "../files.ts";
import { isPrivateName, mayHoldSecrets } from "./private_files.ts";
import { isOutside, typedPath, type Viewpoint } from "./typed_path.ts";
import { type Escape, escapeOfPlanted, resolved } from "./written.ts";

export interface Confined extends Viewpoint {
  /** Real path of what nothing may lead out of. */
  readonly boundary: string;
}

/**
 * The git work tree that a directory is in; without one, the directory itself. As a real path.
 * (`.git` is a file in a submodule and in a further work tree.)
 */
export async function boundaryOf(directory: string): Promise<string> {
  return await workTreeOf(directory) ?? Deno.realPathSync(directory);
}

/** The git work tree that a directory is in, as a real path; `undefined` where it is in none. */
export async function workTreeOf(directory: string): Promise<string | undefined> {
  for (let folder = Deno.realPathSync(directory);; folder = dirname(folder)) {
    if (await holdsRepository(folder)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Whether a directory is the top of a git work tree. A `.git` that belongs neither to root nor to
 * the owner of the directory does not count (like git's own `safe.directory`): with a `.git` that a
 * stranger makes in /tmp, links could lead to all of /tmp.
 */
async function holdsRepository(folder: string): Promise<boolean> {
  const git = join(folder, ".git");
  const info = await lstatIfThere(git);
  if (info === undefined) return false;
  const isOwned = info.uid === 0 || info.uid === Deno.lstatSync(folder).uid;
  if (!isOwned || !info.isDirectory) return isOwned;
  try {
    return await lstatIfThere(join(git, "HEAD")) !== undefined;
  } catch (error) {
    // mlcli may not look into it, and takes it for a repository.
    if (error instanceof Deno.errors.PermissionDenied) return true;
    throw error;
  }
}

/** Where a path leads, if it must not lead there; `undefined` if it may, or nothing is there. */
export async function escapeOf(confined: Confined, path: string): Promise<Escape | undefined> {
  const [escape] = await escapesOf(confined, [path]);
  return escape;
}

async function escapesOf(
  { directory, boundary }: Confined,
  paths: readonly string[],
): Promise<readonly (Escape | undefined)[]> {
  const root = Deno.realPathSync(directory);
  return await Promise.all(paths.map(async (path) => {
    const target = await realPathOf(path);
    // Without a link on the way, the real path is the path itself.
    if (target === join(root, relative(directory, path))) return undefined;
    return escapeOfPlanted(linksOn(path), target) ?? escapeTo(target, boundary);
  }));
}

/** Returns the directories in which links lie on the way of a path, as far as it exists. */
function linksOn(path: string): readonly string[] {
  const crossed: string[] = [];
  try {
    resolved(path, "", crossed);
  } catch {
    // The target of a link need not exist yet: a file may be written to it.
  }
  return crossed;
}

/** Returns why nothing may lead to a real path; `undefined` if it may. */
export function escapeTo(target: string, boundary: string): Escape | undefined {
  const inner = relative(boundary, target);
  if (isOutside(inner)) {
    return { target, isPrivate: false, words: `points outside ${boundary}, to ${target}` };
  }
  // git-annex keeps the content of the files that Git names there.
  const named = inner.replace(/^\.git[/\\]annex[/\\]objects[/\\]/, "");
  const found = named.split(SEPARATOR_PATTERN).some(isPrivateName) ? target : privateBelow(target);
  if (found === undefined) return undefined;
  return { target, isPrivate: true, words: `points to private data: ${found}` };
}

/** Returns the path of something with a private name in a directory, at any depth. */
function privateBelow(directory: string): string | undefined {
  try {
    if (!Deno.lstatSync(directory).isDirectory) return undefined;
    for (const { name, isDirectory } of Deno.readDirSync(directory)) {
      const path = join(directory, name);
      if (mayHoldSecrets(name)) return path;
      const found = isDirectory ? privateBelow(path) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    // Unknown content might be private, and a container that runs as root could read it.
    if (error instanceof Deno.errors.PermissionDenied) return directory;
    throw error;
  }
}

/**
 * Requires that paths of an app lead nowhere else.
 *
 * @param paths absolute; those nearer to the top first, since the first that is wrong is named.
 * @param hintFor what to do instead, given the path and what it leads to.
 * @throws MlcliError
 */
export async function requireInside(
  confined: Confined,
  paths: readonly string[],
  hintFor: (path: string, target: string) => string = () => PUT_IT_THERE,
): Promise<void> {
  for (const [index, escape] of (await escapesOf(confined, paths)).entries()) {
    if (escape === undefined) continue;
    const path = paths[index]!;
    throw new MlcliError(`${typedPath(confined, path)} ${escape.words}`, {
      // Only the user may name data that may be private: a hint must not suggest it.
      hint: escape.isPrivate ? PUT_IT_THERE : hintFor(path, escape.target),
    });
  }
}

export const PUT_IT_THERE =
  "Replace the link with the file or directory itself. Links must stay inside the repository and " +
  "must not point to private data.";
