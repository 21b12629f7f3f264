/**
 * Trees of files: what is in one, and a copy of it.
 *
 * Imports nothing that needs resolving, for `scripts/tasks/setup.ts` runs before anything is.
 */

import { dirname, join } from "node:path";

/** Copies a file, or a directory with all that is in it; nothing when it is not there. */
export async function copy(from: string, to: string): Promise<void> {
  for await (const path of filesBelow(from)) {
    const target = path === "" ? to : join(to, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.copyFile(join(from, path), target);
  }
}

/** The files in a directory, as paths relative to it with `/`; for a file, the empty path. */
export async function* filesBelow(root: string, path = ""): AsyncGenerator<string> {
  const info = await Deno.stat(join(root, path)).catch(() => undefined);
  if (info?.isFile) yield path;
  if (!info?.isDirectory) return;
  for await (const { name } of Deno.readDir(join(root, path))) {
    // What Python leaves when the harness runs from the source tree.
    if (name !== "__pycache__") yield* filesBelow(root, path === "" ? name : `${path}/${name}`);
  }
}
