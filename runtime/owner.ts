/** Which mlcli sees to something. While it lives, no other command touches that. */

import { join } from "@std/path/join";
import { LARGEST_TEXT, lstatIfThere, readTextFile } from "./files.ts";
import { systemCode } from "./errors.ts";

/** From this age (ms) on, a directory of which nobody can say who sees to it counts as left. */
const STALE_AFTER = 60_000;

/** The same where another machine's mlcli does: that may train for as long as SageMaker lets it. */
const STALE_ELSEWHERE = 28 * 24 * 3_600_000;

/** In a directory, the file that says which mlcli sees to it (`ownerText`). */
export const OWNER = "owner";

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

/** Writes into a directory who sees to it. */
export function claim(directory: string): void {
  Deno.writeTextFileSync(join(directory, OWNER), ownerText());
}

/**
 * Paths of the directories in another one that a killed mlcli left, and had claimed.
 *
 * @param prefix begins their names. Others may make such names in a directory that all share: only the
 * caller's own count.
 */
export async function leftDirectories(parent: string, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of await Array.fromAsync(Deno.readDir(parent)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    const info = await lstatIfThere(path).catch(() => undefined);
    if (!info?.isDirectory || info.uid !== Deno.uid()) continue;
    if (await isLeft(path)) found.push(path);
  }
  return found;
}

/**
 * Whether the mlcli that claimed a directory is gone; where that is not known, whether the directory is
 * old.
 */
export async function isLeft(directory: string): Promise<boolean> {
  const owner = await readTextFile(join(directory, OWNER), LARGEST_TEXT).catch(() => "");
  const isAlive = await isOwnerAlive(owner);
  if (isAlive !== undefined) return !isAlive;
  const info = await Deno.lstat(directory).catch(() => undefined);
  const age = Date.now() - (info?.mtime?.getTime() ?? Date.now());
  return age > (owner === "" ? STALE_AFTER : STALE_ELSEWHERE);
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
