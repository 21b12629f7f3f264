/**
 * Whose the files are that a container may write to, and what of them is to be given to the caller:
 * data, and a pure decision about it.
 *
 * @module
 */

import { join } from "@std/path/join";
import { lstatIfThere } from "../files.ts";

/** Something in a directory that a container may write to. */
export interface Entry {
  /** Absolute path on this machine. */
  readonly path: string;
  /** Device and inode: a name can be given to another file. */
  readonly id: string;
  readonly uid: number;
  readonly kind: "directory" | "file" | "device" | "other";
  /** Whether it is a file that runs with its owner's rights, or its group's. */
  readonly isPrivileged: boolean;
  /** When it was written to, in ms since 1970. */
  readonly written: number;
  /** What a directory holds; `undefined` where it may not be read. */
  readonly entries?: readonly Entry[];
}

/** Setuid and setgid. */
export const PRIVILEGE_BITS = 0o6000;

/**
 * What is at a path, without following links; `undefined` where nothing is, or not any more.
 * @throws Deno.errors.PermissionDenied when its directory may not be searched.
 */
export async function entryAt(path: string): Promise<Entry | undefined> {
  const info = await lstatIfThere(path);
  if (info === undefined) return undefined;
  const isDevice = info.isBlockDevice === true || info.isCharDevice === true;
  return {
    path,
    id: `${info.dev}:${info.ino}`,
    uid: info.uid ?? 0,
    kind: info.isDirectory ? "directory" : info.isFile ? "file" : isDevice ? "device" : "other",
    isPrivileged: info.isFile && ((info.mode ?? 0) & PRIVILEGE_BITS) !== 0,
    written: info.mtime?.getTime() ?? 0,
    entries: info.isDirectory ? await entriesIn(path) : undefined,
  };
}

async function entriesIn(path: string): Promise<readonly Entry[] | undefined> {
  try {
    const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
    const entries: Entry[] = [];
    for (const name of names.sort()) {
      const entry = await entryAt(join(path, name));
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    // It may be listed but not searched, too: then what is in it is as good as not known.
    if (error instanceof Deno.errors.PermissionDenied) return undefined;
    throw error;
  }
}

/** An entry with all that is below it. */
export function* everyEntry(entry: Entry): Generator<Entry> {
  yield entry;
  for (const inner of entry.entries ?? []) yield* everyEntry(inner);
}

/** What to give to the caller, so that nothing else changes its owner. */
export interface HandOver {
  /** Directories to give with all that is in them, whatever that is. */
  readonly whole: readonly string[];
  /** What to give by itself. */
  readonly alone: readonly string[];
}

/** What was there before a run, by id. */
export interface Before {
  /** What was somebody else's. */
  readonly foreign: { has(id: string): boolean; readonly size: number };
  /** Files that had setuid or setgid, which a change of the owner would take away. */
  readonly privileged: { has(id: string): boolean; readonly size: number };
}

/**
 * Decides what becomes the caller's: what is somebody else's, and was not before the run. Device
 * nodes do not, since the one who owns the node may use the device.
 *
 * @param uid the caller's.
 */
export function handOverOf(entry: Entry, uid: number, { foreign, privileged }: Before): HandOver {
  return decide(entry).give;

  function decide(entry: Entry): { readonly give: HandOver; readonly holdsKept: boolean } {
    const isForeign = entry.uid !== uid;
    const isKept = isForeign
      ? foreign.has(entry.id) || entry.kind === "device"
      : privileged.has(entry.id);
    const isGiven = isForeign && !isKept;
    if (entry.kind !== "directory") {
      return { give: { whole: [], alone: isGiven ? [entry.path] : [] }, holdsKept: isKept };
    }
    if (entry.entries === undefined) {
      // What may have been moved in there shows when the directory is the caller's. (One that is
      // already is closed to its owner: whoever made it so wanted that.)
      if (foreign.size > 0 || privileged.size > 0 || !isGiven) {
        return { give: { whole: [], alone: isGiven ? [entry.path] : [] }, holdsKept: true };
      }
      return { give: { whole: [entry.path], alone: [] }, holdsKept: false };
    }
    const inner = entry.entries.map(decide);
    const whole = inner.flatMap(({ give }) => give.whole);
    const alone = inner.flatMap(({ give }) => give.alone);
    const holdsKept = isKept || inner.some((one) => one.holdsKept);
    if (holdsKept) {
      return { give: { whole, alone: isGiven ? [entry.path, ...alone] : alone }, holdsKept };
    }
    const isAnythingGiven = isGiven || whole.length > 0 || alone.length > 0;
    return { give: { whole: isAnythingGiven ? [entry.path] : [], alone: [] }, holdsKept };
  }
}
