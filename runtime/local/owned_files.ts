/**
 * What is in the directories that a container may write to, whose it is, and what of it is given to the
 * caller: data, and a pure decision about it.
 */

import { SEPARATOR } from "@std/path/constants";
import { isMissing } from "../errors.ts";

export interface Entry {
  readonly path: string;
  /** Device and inode: a name can be given to another file. */
  readonly id: string;
  readonly uid: number;
  /** `unknown`: its name is not UTF-8, which Deno cannot ask about. */
  readonly kind: "directory" | "file" | "other" | "unknown";
  /** Whether it is a file that runs with its owner's rights, or its group's. */
  readonly isPrivileged: boolean;
  /** When it was made, in ms since 1970; not every file system knows. */
  readonly born: number | undefined;
  /** When its owner or mode were last changed, in ms since 1970, to the second; nobody can set that. */
  readonly changed: number;
  /** Times, size and mode, to notice a change. (Deno knows a ctime only to the second.) */
  readonly state: string;
  /** What a directory holds; `undefined` where that is not known. */
  readonly entries?: readonly Entry[];
  /** Whether `entries` is not known because permission is missing. */
  readonly isClosed?: boolean;
}

const PRIVILEGE_BITS = 0o6000;

/**
 * What is at a path, without following links; `undefined` where nothing is, or not any more.
 * @param budget for all that is below it.
 * @throws Error of the system when its directory may not be searched, or the path is too long.
 */
export async function entryAt(path: string, budget = unlimited()): Promise<Entry | undefined> {
  const entry = entryAlone(path);
  return entry?.kind === "directory" ? { ...entry, ...await contentOf(path, budget) } : entry;
}

/** How many entries may still be looked at. A directory that has more counts as not known. */
export interface Budget {
  left: number;
}

const unlimited = (): Budget => ({ left: Infinity });

/** The same of a directory, without what is in it. */
export function entryAlone(path: string): Entry | undefined {
  const info = lstatNow(path);
  if (info === undefined) return path.includes("\ufffd") ? unknownEntry(path) : undefined;
  return {
    path,
    id: `${info.dev}:${info.ino}`,
    uid: info.uid ?? 0,
    kind: info.isDirectory ? "directory" : info.isFile ? "file" : "other",
    isPrivileged: info.isFile && ((info.mode ?? 0) & PRIVILEGE_BITS) !== 0,
    born: info.birthtime?.getTime() || undefined,
    changed: info.ctime?.getTime() ?? Infinity,
    state: `${info.ctime?.getTime()},${info.mtime?.getTime()},${info.size},${info.mode}`,
  };
}

/** After so many files, which take some ten milliseconds, others get a turn, such as a signal. */
const MANY = 10_000;

/** Synchronous: awaited calls take ten times as long, and there may be 100,000 files. */
function lstatNow(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** For a name that Deno cannot read: it puts a mark in the place of what is not UTF-8. */
function unknownEntry(path: string): Entry {
  return {
    path,
    id: "",
    uid: -1,
    kind: "unknown",
    isPrivileged: false,
    born: undefined,
    changed: 0,
    state: "",
  };
}

async function contentOf(
  path: string,
  budget: Budget,
): Promise<Pick<Entry, "entries" | "isClosed">> {
  try {
    const names = Array.from(Deno.readDirSync(path), ({ name }) => name).sort();
    budget.left -= names.length;
    if (budget.left < 0) return { entries: undefined };
    const entries: Entry[] = [];
    for (const [index, name] of names.entries()) {
      if (index % MANY === MANY - 1) await new Promise((resolve) => setTimeout(resolve, 0));
      const inner = path + SEPARATOR + name;
      // Several of one name: all but one are not UTF-8, and only that one can be looked at.
      const entry = name === names[index + 1] ? unknownEntry(inner) : entryAlone(inner);
      if (entry?.kind === "directory") {
        entries.push({ ...entry, ...await contentOf(inner, budget) });
      } else if (entry !== undefined) entries.push(entry);
    }
    return { entries };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { entries: [] };
    // A directory may be listed but not searched, too: then what is in it counts as not known. So
    // does what has a longer path than the system accepts.
    return { entries: undefined, isClosed: error instanceof Deno.errors.PermissionDenied };
  }
}

function* everyEntry(entry: Entry): Generator<Entry> {
  yield entry;
  for (const inner of entry.entries ?? []) yield* everyEntry(inner);
}

export function entriesIn(trees: readonly Entry[]): readonly Entry[] {
  return trees.flatMap((tree) => [...everyEntry(tree)]);
}

/** Whether it, or what is in it, could not be looked at. */
export function isUnseen({ kind, entries }: Entry): boolean {
  return kind === "unknown" || (kind === "directory" && entries === undefined);
}

export interface Before {
  /** By its id. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Whether something was there that could not be looked at, and may have been somebody else's. */
  readonly isPartlyUnknown: boolean;
  readonly start: number;
}

export function remember(trees: readonly Entry[], start: number): Before {
  const all = entriesIn(trees);
  const known = all.filter(({ kind }) => kind !== "unknown");
  return {
    entries: new Map(known.map((entry) => [entry.id, entry])),
    isPartlyUnknown: all.some(isUnseen),
    start,
  };
}

export interface Changes {
  /** The caller's directories that the run has closed: what is in them has to be looked at. */
  readonly open: readonly string[];
  /** What is given to the caller. */
  readonly give: readonly string[];
  readonly isRecursive: boolean;
}

/** How far the clock of the file system, which moves in ticks, may be behind the other, in ms. */
const CLOCK_TOLERANCE = 20;

/**
 * Decides what is opened, and what is given to the caller: what belongs to somebody else now, and did
 * not before the run. Where nothing of others was there before, all of a directory is given, so that
 * what cannot be looked at in it is the caller's, too.
 *
 * @param uid the caller's.
 */
export function changesFor(trees: readonly Entry[], uid: number, before: Before): Changes {
  const { entries, isPartlyUnknown, start } = before;
  function isNew({ kind, uid: owner, id, born }: Entry): boolean {
    if (kind === "unknown" || owner === uid) return false;
    const earlier = entries.get(id);
    if (earlier !== undefined) return earlier.uid === uid;
    return !isPartlyUnknown || (born !== undefined && born >= start - CLOCK_TOLERANCE);
  }
  // A change of the owner would take setuid from a program of the caller's, too.
  const isRecursive = !isPartlyUnknown &&
    entries.values().every((entry) => entry.uid === uid && !entry.isPrivileged);
  const all = entriesIn(trees);
  const given = isRecursive
    ? trees.filter((tree) => entriesIn([tree]).some(isNew))
    : all.filter(isNew);
  const closed = all.filter((entry) =>
    entry.uid === uid && entry.isClosed && !entries.get(entry.id)?.isClosed
  );
  return { open: pathsOf(closed), give: pathsOf(given), isRecursive };
}

export function pathsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ path }) => path);
}
