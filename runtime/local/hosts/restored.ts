/** Copies of the checkpoints, of which each host gets one, as SageMaker restores them on each. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { copyTree, makeDirectory, removeIfThere } from "../../files.ts";
import { treeIn } from "../watch/tree.ts";

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
  for (const folder of [source, dirname(to)]) await makeDirectory(folder);
  await copyTree(source, to);
  const copies = await filesIn(to);
  for (const name of copies.keys()) {
    const { mtime } = Deno.lstatSync(join(source, name));
    Deno.utimeSync(join(to, name), NEVER, mtime ?? NEVER);
  }
  return {
    path: to,
    files: new Map(copies.entries().map(([name, info]) => [name, identityOf(info)])),
  };
}

/**
 * Whether a restored file has been read since.
 *
 * @returns `undefined` where that is not known: the file system does not keep when files are read, or
 * some were removed or replaced, and none that is left was read.
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
  const left = [...await filesIn(path)].filter(([name, info]) =>
    files.get(name) === identityOf(info)
  );
  if (left.some(([, info]) => isRead(info))) return true;
  return left.length < files.size ? undefined : false;
}

/** The number of a file that is gone may be given to another. */
function identityOf({ ino, birthtime }: Deno.FileInfo): string {
  return `${ino} ${birthtime?.getTime()}`;
}

function isRead({ atime }: Deno.FileInfo): boolean {
  return (atime?.getTime() ?? 0) > NEVER.getTime();
}

/** The files that are no links, by their paths; of very many, none. */
async function filesIn(directory: string): Promise<ReadonlyMap<string, Deno.FileInfo>> {
  const names = (await treeIn(directory, "times"))?.sizes.keys() ?? [];
  return new Map(Array.from(names, (name) => [name, Deno.lstatSync(join(directory, name))]));
}
