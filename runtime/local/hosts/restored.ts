/** Copies of the checkpoints, of which each host gets one, as SageMaker restores them on each. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { copyTree, makeDirectory, removeIfThere } from "../../files.ts";
import { entriesOf } from "../runs/working_copy.ts";

/** Paths of the files in a directory, sorted; without links, placeholders, and what is closed. */
export function filesIn(directory: string): readonly string[] {
  try {
    return entriesOf(directory).flatMap(({ source }) => {
      const { isDirectory, isFile } = Deno.lstatSync(source);
      return isDirectory ? filesIn(source) : isFile ? [source] : [];
    });
  } catch {
    return [];
  }
}

/** As if never read. */
const NEVER = new Date(0);

/**
 * Makes a copy in which files are as old as the originals, and are noticed when they are read.
 *
 * @param to where nothing is.
 */
export async function restore(source: string, to: string): Promise<void> {
  await makeDirectory(source);
  await copyTree(source, to);
  for (const path of filesIn(to)) {
    const { mtime } = Deno.lstatSync(join(source, relative(to, path)));
    Deno.utimeSync(path, NEVER, mtime ?? NEVER);
  }
}

/**
 * Whether a restored file has been read since. Files that were written since do not count.
 *
 * @returns `undefined` where the file system does not keep when files are read.
 */
export async function wereRead(copy: string): Promise<boolean | undefined> {
  const made = Deno.lstatSync(copy).birthtime;
  const probe = join(dirname(copy), `.mlcli-${crypto.randomUUID()}`);
  try {
    Deno.writeTextFileSync(probe, "x");
    Deno.utimeSync(probe, NEVER, NEVER);
    Deno.readFileSync(probe);
    if (made === null || !isRead(Deno.lstatSync(probe))) return undefined;
  } finally {
    await removeIfThere(probe);
  }
  return filesIn(copy).map((path) => Deno.lstatSync(path)).some((info) =>
    isRead(info) && (info.mtime ?? made) < made
  );
}

function isRead({ atime }: Deno.FileInfo): boolean {
  return (atime?.getTime() ?? 0) > NEVER.getTime();
}
