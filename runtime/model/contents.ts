/**
 * Replacing what is in a model directory that has to stay the directory that it is, since it is a
 * mount point or a link: two renames of directories cannot do it there.
 */

import { join } from "@std/path/join";
import { isPlaceholder } from "../app/layout.ts";
import { lstatIfThere, makeDirectory, moveTree, partOf, removeTreeIfThere } from "../files.ts";

/** In `model`: what comes, what goes, what is gone. */
const INCOMING = ".mlcli-incoming";
const OUTGOING = ".mlcli-outgoing";
const REPLACED = ".mlcli-replaced";

/**
 * Puts the contents of a run's model directory into `model`. What was there before stays in a directory
 * in it, until `putAway` takes it.
 *
 * @throws Error of the system, mostly where there is no room: `model` is as it was then.
 */
export async function moveContents(model: string, folder: string): Promise<void> {
  await makeDirectory(model);
  await removeImpostors(model);
  // All that takes room comes first: the rest is renames.
  const outgoing = join(model, OUTGOING);
  await makeDirectory(outgoing);
  try {
    await moveTree(folder, join(model, INCOMING));
  } catch (error) {
    await Deno.remove(outgoing).catch(() => {});
    throw error;
  }
  await finishContents(model);
}

/**
 * Removes what has one of our names and is no directory, as ours are: a container may have left a
 * link there, which would lead what is moved anywhere.
 */
async function removeImpostors(model: string): Promise<void> {
  for (const name of [INCOMING, OUTGOING, REPLACED]) {
    const path = join(model, name);
    const info = await lstatIfThere(path);
    if (info !== undefined && !info.isDirectory) await Deno.remove(path);
  }
}

/** Whether all of a new model is in `model`, and not yet in its place. */
export async function isComing(model: string): Promise<boolean> {
  return (await lstatIfThere(join(model, INCOMING)))?.isDirectory ?? false;
}

/** Moves the rest, from where this was interrupted: each name says how far it got. */
export async function finishContents(model: string): Promise<void> {
  await removeImpostors(model);
  // What a command that was killed had not copied to its end: a server would get it.
  await removeTreeIfThere(partOf(join(model, INCOMING)));
  const [incoming, outgoing, replaced] = [INCOMING, OUTGOING, REPLACED]
    .map((name) => join(model, name)) as [string, string, string];
  const isThere = await isComing(model);
  if (isThere && !await lstatIfThere(replaced)) {
    await makeDirectory(outgoing);
    await moveEntries(model, outgoing);
    await Deno.rename(outgoing, replaced);
  }
  if (isThere) {
    await moveEntries(incoming, model);
    await removeTreeIfThere(incoming);
  }
  // An empty one was made for what did not come.
  await Deno.remove(outgoing).catch(() => {});
}

/** Whether what was replaced is still in `model`. */
export async function holdsReplaced(model: string): Promise<boolean> {
  return await lstatIfThere(join(model, REPLACED)) !== undefined;
}

/** Takes what was replaced out of `model`. Where there was no model (`undefined`), it goes. */
export async function putAway(model: string, earlier: string | undefined): Promise<void> {
  const replaced = join(model, REPLACED);
  if (earlier === undefined) await removeTreeIfThere(replaced);
  else await moveTree(replaced, earlier);
}

/** All but what is ours, and what keeps the directory in version control. */
async function moveEntries(from: string, to: string): Promise<void> {
  for (const name of await Array.fromAsync(Deno.readDir(from), ({ name }) => name)) {
    const isOurs = [INCOMING, OUTGOING, REPLACED].includes(name);
    if (!isOurs && !isPlaceholder(name)) await Deno.rename(join(from, name), join(to, name));
  }
}
