/** The commit of the git work tree that an app is in. No program of git's runs: a repository could name others. */

import { dirname } from "@std/path/dirname";
import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import { lstatIfThere, readTextFile } from "../files.ts";
import { workTreeOf } from "../app/confinement.ts";

/** The most that is read of a file, in bytes: a packed list of references may be long. */
const LARGEST = 16 * 1024 ** 2;

const HASH = /^[\da-f]{40}([\da-f]{24})?$/;

/** In hexadecimal digits; `undefined` where there is none, or it cannot be told. */
export async function commitOf(directory: string): Promise<string | undefined> {
  try {
    const tree = await workTreeOf(directory);
    if (tree === undefined) return undefined;
    const git = await gitDirectory(join(tree, ".git"));
    const head = (await readTextFile(join(git, "HEAD"), LARGEST)).trim();
    if (HASH.test(head)) return head;
    const [, reference] = /^ref: (refs\/[\w./+@-]+)$/.exec(head) ?? [];
    if (reference === undefined || reference.includes("..")) return undefined;
    const common = await commonDirectory(git);
    return await looseIn(common, reference) ?? await packedIn(common, reference);
  } catch {
    return undefined;
  }
}

/** In a submodule and in a further work tree, `.git` is a file that names the directory. */
async function gitDirectory(path: string): Promise<string> {
  if ((await lstatIfThere(path))?.isDirectory) return path;
  const named = (await readTextFile(path, LARGEST)).replace(/^gitdir: /, "").trim();
  return isAbsolute(named) ? named : join(dirname(path), named);
}

/** A further work tree has its references where the first has them. */
async function commonDirectory(git: string): Promise<string> {
  const named = await readTextFile(join(git, "commondir"), LARGEST).catch(() => ".");
  return isAbsolute(named.trim()) ? named.trim() : join(git, named.trim());
}

async function looseIn(common: string, reference: string): Promise<string | undefined> {
  const text = await readTextFile(join(common, reference), LARGEST).catch(() => "");
  return HASH.test(text.trim()) ? text.trim() : undefined;
}

async function packedIn(common: string, reference: string): Promise<string | undefined> {
  const text = await readTextFile(join(common, "packed-refs"), LARGEST).catch(() => "");
  const line = text.split("\n").find((line) => line.endsWith(` ${reference}`));
  const hash = line?.split(" ")[0] ?? "";
  return HASH.test(hash) ? hash : undefined;
}
