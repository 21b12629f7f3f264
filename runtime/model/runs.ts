/**
 * Who sees to a run: a directory beside the app's test data says which mlcli does. While that lives,
 * no other command touches what the run makes.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Layout } from "../app/layout.ts";
import { LARGEST_TEXT, lstatIfThere, readTextFile } from "../files.ts";
import { systemCode } from "../errors.ts";

/** Begins the directory's name in `local_test/`, before the run's name. */
const PREFIX = ".run-";

/**
 * A run in which mlcli was killed leaves its directory, and, if it never started, its container.
 * From this age (ms) on they count as left over; younger ones may be of a run that is starting.
 */
const STALE_AFTER = 60_000;

/** File that says which mlcli a run belongs to (`ownerText`). */
const OWNER = "owner";

/** The directory of a run. */
export function runFolderOf({ localTest }: Pick<Layout, "localTest">, run: string): string {
  return join(localTest, PREFIX + run);
}

/** Which mlcli this is: `PROCESS_ID HOST_NAME`. */
export function ownerText(): string {
  return `${Deno.pid} ${Deno.hostname()}`;
}

/** Whether the mlcli of such a text still runs; `undefined` where it is of another machine, or none. */
export async function isOwnerAlive(text: string): Promise<boolean | undefined> {
  const [id, host] = text.split(" ");
  const isHere = /^\d+$/.test(id ?? "") && host === Deno.hostname();
  return isHere ? await isAlive(Number(id)) : undefined;
}

/** Writes who sees to the run into its directory, which is there. */
export async function claimRun(folder: string): Promise<void> {
  await Deno.writeTextFile(join(folder, OWNER), ownerText());
}

/** The names of runs that nobody sees to any more. */
export async function staleRuns({ localTest }: Pick<Layout, "localTest">): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(localTest)) {
    if (!name.startsWith(PREFIX)) continue;
    if (await isLeftOver(join(localTest, name))) names.push(name.slice(PREFIX.length));
  }
  return names;
}

/** Whether no mlcli sees to a run any more; its container may still run. */
export async function isRunOver(layout: Pick<Layout, "localTest">, run: string): Promise<boolean> {
  const folder = runFolderOf(layout, run);
  return await lstatIfThere(folder) === undefined || await isLeftOver(folder);
}

/** Whether a mlcli sees to some run of the app. */
export async function isAnyAlive({ localTest }: Pick<Layout, "localTest">): Promise<boolean> {
  for await (const { name } of Deno.readDir(localTest)) {
    if (name.startsWith(PREFIX) && !await isLeftOver(join(localTest, name))) return true;
  }
  return false;
}

/**
 * Begins to notice other runs of the app.
 *
 * No clock is asked: each run makes a directory beside this one's and removes it, which changes the time
 * of the directory that they are in.
 *
 * @param run whose directory is there, and still is when it is asked.
 * @returns tells whether another run was there at any time since, for a moment or now. (It may say yes
 * where something else was put there.)
 */
export async function noticeOthers(
  { localTest }: Pick<Layout, "localTest">,
  run: string,
): Promise<() => Promise<boolean>> {
  const time = async () => (await Deno.lstat(localTest)).mtime?.getTime();
  const others = async () => {
    const names = await Array.fromAsync(Deno.readDir(localTest), ({ name }) => name);
    return names.some((name) => name.startsWith(PREFIX) && name !== PREFIX + run);
  };
  const start = await time();
  const hadOthers = await others();
  return async () => hadOthers || await others() || await time() !== start;
}

/**
 * Paths of the directories in another one that a killed mlcli left, and had claimed.
 *
 * @param prefix begins their names. Others may make such names in a directory that all share: only the
 * caller's own count.
 */
export async function leftOverFolders(parent: string, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of await Array.fromAsync(Deno.readDir(parent)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    const info = await lstatIfThere(path).catch(() => undefined);
    if (!info?.isDirectory || info.uid !== Deno.uid()) continue;
    if (await isLeftOver(path)) found.push(path);
  }
  return found;
}

/**
 * Whether the mlcli that claimed a directory is gone; where that is not known, whether the directory is
 * old.
 */
export async function isLeftOver(folder: string): Promise<boolean> {
  const owner = await readTextFile(join(folder, OWNER), LARGEST_TEXT).catch(() => "");
  const isAlive = await isOwnerAlive(owner);
  if (isAlive !== undefined) return !isAlive;
  const info = await Deno.lstat(folder).catch(() => undefined);
  return Date.now() - (info?.mtime?.getTime() ?? Date.now()) > STALE_AFTER;
}

async function isAlive(processId: number): Promise<boolean> {
  const { kill } = await import("node:process");
  try {
    return kill(processId, 0);
  } catch (error) {
    // EPERM: somebody else's.
    return systemCode(error) !== "ESRCH";
  }
}
