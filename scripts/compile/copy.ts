/**
 * Copying trees of files.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { removeTree } from "../script.ts";

/** Copies a file, or a directory with all that is in it; nothing when it is not there. */
export async function copy(from: string, to: string): Promise<void> {
  for await (const path of filesBelow(from)) {
    const target = path === "" ? to : join(to, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.copyFile(join(from, path), target);
  }
}

/**
 * Puts a copy of a directory in the place of another, which stays until all of the copy is there.
 * (It cannot be moved: temporary files may be on another disk.)
 */
export async function replaceTree(place: string, made: string): Promise<void> {
  const copied = `${place}.new`;
  await removeTree(copied);
  try {
    await copy(made, copied);
    await removeTree(place);
    await Deno.rename(copied, place);
  } finally {
    await removeTree(copied);
  }
}

/** The files in a directory, as paths relative to it; for a file, the empty path. */
export async function* filesBelow(root: string, path = ""): AsyncGenerator<string> {
  const info = await Deno.stat(join(root, path)).catch(() => undefined);
  if (info?.isFile) yield path;
  if (!info?.isDirectory) return;
  for await (const { name } of Deno.readDir(join(root, path))) {
    // What Python leaves when the harness runs from the source tree.
    if (name !== "__pycache__") yield* filesBelow(root, join(path, name));
  }
}
