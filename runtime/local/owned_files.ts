/**
 * Who owns the files that a container may write to, and which of them are given to the caller:
 * data, and a pure decision about it.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";

/** Something in a directory that a container may write to. */
export interface Entry {
  /** Absolute path on this machine. */
  readonly path: string;
  /** Device and inode: a name can be given to another file. */
  readonly id: string;
  readonly uid: number;
  readonly gid: number;
  /** `unknown`: its name is not UTF-8, which Deno cannot ask about. */
  readonly kind: "directory" | "file" | "device" | "other" | "unknown";
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

/** Setuid and setgid. */
export const PRIVILEGE_BITS = 0o6000;

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

function entryAlone(path: string): Entry | undefined {
  const info = lstatNow(path);
  if (info === undefined) return path.includes("\ufffd") ? unknownEntry(path) : undefined;
  const isDevice = info.isBlockDevice === true || info.isCharDevice === true;
  return {
    path,
    id: `${info.dev}:${info.ino}`,
    uid: info.uid ?? 0,
    gid: info.gid ?? 0,
    kind: info.isDirectory ? "directory" : info.isFile ? "file" : isDevice ? "device" : "other",
    isPrivileged: info.isFile && ((info.mode ?? 0) & PRIVILEGE_BITS) !== 0,
    born: info.birthtime?.getTime() || undefined,
    changed: info.ctime?.getTime() ?? Infinity,
    state: `${info.ctime?.getTime()},${info.mtime?.getTime()},${info.size},${info.mode}`,
  };
}

/** As many files take some ten milliseconds. */
const MANY = 10_000;

/** At once: a call that is waited for takes ten times as long, and there may be 100,000 files. */
function lstatNow(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    const isNothing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isNothing) return undefined;
    throw error;
  }
}

/** For a name that Deno cannot read: it puts a mark in the place of what is not UTF-8. */
function unknownEntry(path: string): Entry {
  return {
    path,
    id: "",
    uid: -1,
    gid: -1,
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
      // Whatever else waits, such as a signal, gets its turn.
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

/** An entry with all that is below it. */
function* everyEntry(entry: Entry): Generator<Entry> {
  yield entry;
  for (const inner of entry.entries ?? []) yield* everyEntry(inner);
}

/** The same of several. */
export function entriesIn(trees: readonly Entry[]): readonly Entry[] {
  return trees.flatMap((tree) => [...everyEntry(tree)]);
}

/** Whether it, or what is in it, could not be looked at. */
export function isUnseen({ kind, entries }: Entry): boolean {
  return kind === "unknown" || (kind === "directory" && entries === undefined);
}

/** What was there before a run, by id. */
export interface Before {
  /** The caller's own. */
  readonly own: ReadonlySet<string>;
  /** What was somebody else's, and its state. */
  readonly foreign: ReadonlyMap<string, string>;
  /** Files that had setuid or setgid, which a change of the owner would take away. */
  readonly privileged: ReadonlySet<string>;
  /** Directories of the caller that even the caller could not look into. */
  readonly closed: ReadonlySet<string>;
  /** Whether something was there that could not be looked at, and may have been somebody else's. */
  readonly isPartlyUnknown: boolean;
  /** When the run began, in ms since 1970. */
  readonly start: number;
}

/** Remembers what is there before a run. */
export function remember(trees: readonly Entry[], uid: number, start: number): Before {
  const own = new Set<string>();
  const foreign = new Map<string, string>();
  const privileged = new Set<string>();
  const closed = new Set<string>();
  let isPartlyUnknown = false;
  for (const entry of entriesIn(trees)) {
    const isUnknown = isUnseen(entry);
    if (isUnknown) isPartlyUnknown = true;
    if (entry.kind === "unknown") continue;
    if (entry.uid === uid) own.add(entry.id);
    else foreign.set(entry.id, entry.state);
    if (entry.isPrivileged) privileged.add(entry.id);
    if (entry.uid === uid && isUnknown) closed.add(entry.id);
  }
  return { own, foreign, privileged, closed, isPartlyUnknown, start };
}

/** What to give to the caller, so that nothing else changes its owner. */
export interface HandOver {
  /** Directories to give with all that is in them, whatever that is. */
  readonly whole: readonly string[];
  /** What to give by itself. */
  readonly alone: readonly string[];
  /** The caller's directories that the run has closed: what is in them has to be looked at. */
  readonly open: readonly string[];
}

/** How far the clock of the file system, which moves in ticks, may be behind the other, in ms. */
const CLOCK_TOLERANCE = 20;

/**
 * Decides what is given to the caller: what belongs to somebody else now, and did not before the
 * run. Device nodes are not given, since the owner of a node may use the device.
 *
 * @param uid the caller's.
 * @param isAnyLost whether something that belonged to another user was not found again: it may be
 * anywhere, under a name that Deno does not even list (2.6: one that is not UTF-8).
 */
export function handOverOf(
  entry: Entry,
  uid: number,
  known: Before,
  isAnyLost = false,
): HandOver {
  const { own, foreign, privileged, closed, isPartlyUnknown, start } = known;
  // Where nothing of others was there before, what is not known may be given to the caller.
  const isSafe = foreign.size === 0 && privileged.size === 0 && !isPartlyUnknown;

  /** Whether an entry that is another user's now was that before the run, or may have been. */
  function wasForeign({ id, born }: Entry): boolean {
    if (foreign.has(id)) return true;
    if (!isPartlyUnknown || own.has(id)) return false;
    return born === undefined || born < start - CLOCK_TOLERANCE;
  }

  function decide(entry: Entry): { readonly give: HandOver; readonly holdsKept: boolean } {
    if (entry.kind === "unknown") return { give: NOTHING, holdsKept: !isSafe };
    const isForeign = entry.uid !== uid;
    const isKept = isForeign
      ? entry.kind === "device" || wasForeign(entry)
      : privileged.has(entry.id);
    const alone = isForeign && !isKept ? [entry.path] : [];
    if (entry.kind !== "directory") {
      return { give: { ...NOTHING, alone }, holdsKept: isKept };
    }
    if (entry.entries === undefined) {
      // What was moved in there can be seen only when the directory is the caller's, and open.
      if (alone.length > 0 && isSafe) {
        return { give: { ...NOTHING, whole: alone }, holdsKept: false };
      }
      const open = !isForeign && entry.isClosed && !closed.has(entry.id) ? [entry.path] : [];
      return { give: { ...NOTHING, alone, open }, holdsKept: true };
    }
    const inner = entry.entries.map(decide);
    const give: HandOver = {
      whole: inner.flatMap((one) => one.give.whole),
      alone: [...alone, ...inner.flatMap((one) => one.give.alone)],
      open: inner.flatMap((one) => one.give.open),
    };
    const holdsKept = isAnyLost || isKept || inner.some((one) => one.holdsKept);
    const isAnythingGiven = give.whole.length > 0 || give.alone.length > 0;
    return holdsKept || !isAnythingGiven
      ? { give, holdsKept }
      : { give: { ...NOTHING, whole: [entry.path] }, holdsKept };
  }
  return decide(entry).give;
}

/** Nothing to give. */
export const NOTHING: HandOver = { whole: [], alone: [], open: [] };
