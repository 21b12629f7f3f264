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

/** A host's copy of the checkpoints: its directory, and what tells each file from one in its place. */
export interface Restored {
  readonly path: string;
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Makes a copy in which files are as old as the originals, and are noticed when they are read.
 *
 * @param to where nothing is.
 */
export async function restore(source: string, to: string): Promise<Restored> {
  await makeDirectory(source);
  await copyTree(source, to);
  const files = new Map<string, string>();
  for (const path of filesIn(to)) {
    const { mtime } = Deno.lstatSync(join(source, relative(to, path)));
    Deno.utimeSync(path, NEVER, mtime ?? NEVER);
    files.set(path, identityOf(Deno.lstatSync(path)));
  }
  return { path: to, files };
}

/**
 * Whether a restored file has been read since.
 *
 * @returns `undefined` where that is not known: the file system does not keep when files are read, or
 * each was replaced by another.
 */
export async function wereRead({ path, files }: Restored): Promise<boolean | undefined> {
  const probe = join(dirname(path), `.mlcli-${crypto.randomUUID()}`);
  try {
    Deno.writeTextFileSync(probe, "x");
    Deno.utimeSync(probe, NEVER, NEVER);
    Deno.readFileSync(probe);
    if (!isRead(Deno.lstatSync(probe))) return undefined;
  } finally {
    await removeIfThere(probe);
  }
  const kept = filesIn(path).map((file) => ({ file, info: Deno.lstatSync(file) }))
    .filter(({ file, info }) => files.get(file) === identityOf(info));
  if (kept.some(({ info }) => isRead(info))) return true;
  return kept.length < files.size ? undefined : false;
}

/** The number of a file that is gone is given to another. */
function identityOf({ ino, birthtime }: Deno.FileInfo): string {
  return `${ino} ${birthtime?.getTime()}`;
}

function isRead({ atime }: Deno.FileInfo): boolean {
  return (atime?.getTime() ?? 0) > NEVER.getTime();
}
