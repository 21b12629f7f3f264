/**
 * Gives the caller what a container wrote. Containers run as the user that the image names, as on
 * SageMaker. Mostly that is root, and on a rootful engine on Linux, the files belong to root.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";
import { shellWord } from "../app/typed_path.ts";
import type { Caller } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { isRootless } from "../docker/engine_info.ts";
import { messageOf, MlcliError } from "../errors.ts";
import { realPathOf } from "../files.ts";
import { idOf } from "../model/folder.ts";
import type { Output } from "../streams.ts";
import { listed } from "../text.ts";
import { type Deadline, deadlineIn, joinSignals } from "../time.ts";
import { runContainer } from "./container/run.ts";
import {
  type Before,
  entriesIn,
  type Entry,
  entryAt,
  type HandOver,
  handOverOf,
  isUnseen,
  NOTHING,
  remember,
} from "./owned_files.ts";
import { type OwnershipCommand, ownershipPlan } from "./service_plans.ts";

/** How long changing owners may take in all, in seconds. */
const TIMEOUT = 120;

/** How often to look again: each time, directories that are open now show one level more. */
const MOST_ROUNDS = 16;

/** Paths on one command line, in bytes: Linux takes 2 MB, the environment included. */
const LONGEST_COMMAND = 1_000_000;

/**
 * How many entries of a directory are looked at where root runs mlcli: some 50 ms. Nothing is handed over
 * to root, so that more would be time for little: other users may not enter the directory.
 */
const MOST_FOR_ROOT = 10_000;

/** How many paths are named in a message. */
const NAMED_PATHS = 3;

/** Tells the user what stays as it is, or was changed. */
export type Warn = (message: string, hint: string) => void;

/** Who owned what before a run. */
export interface Owners extends Before {
  /** Real path to id. */
  readonly directories: ReadonlyMap<string, string>;
  readonly caller: Caller;
}

/**
 * Remembers who owns what in the directories that a container is going to write to. They have to be
 * there. Undefined on Windows, where nothing is handed over.
 *
 * @param areNew whether they were made for the run, and nothing was in them before it.
 */
export async function ownersOf(
  directories: readonly string[],
  caller: Caller | undefined,
  areNew = false,
): Promise<Owners | undefined> {
  if (caller === undefined) return undefined;
  const start = areNew ? 0 : Date.now();
  // Links among them are followed here as the engine follows them, and not again.
  const paths = await Promise.all(directories.map((path) => realPathOf(path)));
  const ids = await Promise.all(paths.map(idOf));
  // Root is given nothing: whose it was makes no difference.
  const trees = areNew || caller.uid === 0 ? [] : await treesOf(paths);
  return {
    ...remember(trees, caller.uid, start),
    directories: new Map(paths.map((path, index) => [path, ids[index]!])),
    caller,
  };
}

/**
 * Gives what the run wrote to the caller, unless that is root, and takes setuid and setgid away. What
 * belonged to somebody else before stays theirs: they may need it there, and the code of a repository,
 * run as root, must not give it away. A container changes owners and modes: only root may, and what the
 * run still writes, or another one, can lead it nowhere else.
 *
 * @param image any image with `chown`; the one that wrote the files is at hand.
 * @param force ends it when the user does not want to wait.
 * @param found told how many files are handed over, directories included.
 * @throws MlcliError when it cannot be done, with the command that does it.
 */
export async function handToCaller(
  engine: Engine,
  image: string,
  before: Owners,
  warn: Warn,
  force: AbortSignal,
  found: (files: number) => void = () => {},
): Promise<void> {
  using limit = new DisposableStack();
  // Only where there is something to do: the first timer of a program takes Deno 2.9 10 ms.
  let deadline: Deadline | undefined;
  const change: Change = (paths, command) => {
    deadline ??= limit.use(deadlineIn(TIMEOUT));
    const signals = [deadline.signal, force];
    return runCommand({ engine, image, before, paths, command, signals });
  };
  const privileged = new Map<string, Entry>();
  const given: string[] = [];
  let last = "";
  for (let round = 1;; round++) {
    const trees = await treesAsBefore(before);
    for (const entry of newlyPrivileged(trees, before)) privileged.set(entry.id, entry);
    const { whole, alone, open } = planOf(trees, before);
    const paths = [...whole, ...alone];
    if (paths.length === 0 && open.length === 0) {
      await dropPrivileges([...privileged.values()], engine, before, change, warn);
      reportUnseen(trees, before, given, warn);
      return reportKept(trees, before, warn);
    }
    const now = JSON.stringify([whole, alone, open]);
    if (now === last || round > MOST_ROUNDS) {
      throw notHandedOver([...paths, ...open], before.caller, "chown did not change them");
    }
    last = now;
    found(
      entriesIn(trees)
        .filter(({ uid }) => uid !== before.caller.uid).length,
    );
    try {
      if (open.length > 0) await change(open, ["chmod", "0700"]);
      const owner = paths.length === 0 ? "" : await ownerInside(engine, before.caller);
      if (alone.length > 0) await change(alone, ["chown", "-h", owner]);
      if (whole.length > 0) await change(whole, ["chown", "-hR", owner]);
      given.push(...whole);
    } catch (cause) {
      throw notHandedOver(paths, before.caller, messageOf(cause), cause);
    }
  }
}

/** In a rootless engine, root in the container is the caller outside. */
async function ownerInside(engine: Engine, { uid, gid }: Caller): Promise<string> {
  return isRootless(await engine.info()) ? "0:0" : `${uid}:${gid}`;
}

function planOf(trees: readonly Entry[], before: Owners): HandOver {
  // Root owns files as it likes, and gives none to itself.
  if (before.caller.uid === 0) return NOTHING;
  const seen = new Set(entriesIn(trees).map(({ id }) => id));
  const isAnyLost = [...before.foreign.keys()].some((id) => !seen.has(id));
  const plans = trees.map((tree) => handOverOf(tree, before.caller.uid, before, isAnyLost));
  return {
    whole: plans.flatMap((plan) => plan.whole),
    alone: plans.flatMap((plan) => plan.alone),
    open: plans.flatMap((plan) => plan.open),
  };
}

function notHandedOver(
  paths: readonly string[],
  { uid, gid }: Caller,
  reason: string,
  cause?: unknown,
): MlcliError {
  return new MlcliError(
    `Some files belong to another user, ${shownPaths(paths)}: ${reason}`,
    {
      hint: "Programs among them may have that user's rights (setuid), for whoever runs them. " +
        `sudo chown -hR ${uid}:${gid} ${paths.slice(0, NAMED_PATHS).map(shellWord).join(" ")}`,
      cause,
    },
  );
}

async function treesOf(
  directories: readonly string[],
  most = Infinity,
): Promise<readonly Entry[]> {
  const entries = await Promise.all(directories.map((path) => entryAt(path, { left: most })));
  return entries.filter((entry) => entry !== undefined);
}

/**
 * The directories as they are now, if they are the same as before: a container that may write
 * around one of them could have put a link, or another directory, in its place.
 */
async function treesAsBefore({ directories, caller }: Owners): Promise<readonly Entry[]> {
  const trees = await treesOf(
    [...directories.keys()],
    caller.uid === 0 ? MOST_FOR_ROOT : undefined,
  );
  for (const [path, id] of directories) {
    const isSame = trees.some((tree) => tree.path === path && tree.id === id);
    if (isSame && await realPathOf(path) === path) continue;
    throw new MlcliError(`${path} is another directory than when the run began`, {
      hint: "What the run wrote keeps the owner that it has.",
    });
  }
  return trees;
}

type Change = (paths: readonly string[], command: OwnershipCommand) => Promise<void>;

/** Changes some paths, with as few containers as their length allows. */
async function runCommand({ engine, image, before, paths, command, signals }: {
  readonly engine: Engine;
  readonly image: string;
  readonly before: Owners;
  readonly paths: readonly string[];
  readonly command: OwnershipCommand;
  readonly signals: AbortSignal[];
}): Promise<void> {
  using either = joinSignals(...signals);
  const { signal } = either;
  for (const some of inCommands(paths)) {
    const body = ownershipPlan(image, [...before.directories.keys()], some, command);
    const name = `mlcli-chown-${crypto.randomUUID().slice(0, 8)}`;
    const { status, cause } = await runContainer(engine, name, body, {
      out: NOWHERE,
      err: NOWHERE,
      interruption: { signal, force: signal },
    });
    if (cause !== undefined) throw cause;
    if (status !== 0) throw new Error(`${command[0]} ended with exit status ${status}`);
  }
}

function* inCommands(paths: readonly string[]): Generator<readonly string[]> {
  const encoder = new TextEncoder();
  let some: string[] = [];
  let length = 0;
  for (const path of paths) {
    // An upper bound: the paths are shorter in the container.
    const size = encoder.encode(path).length + 1;
    if (length + size > LONGEST_COMMAND) {
      yield some;
      some = [];
      length = 0;
    }
    length += size;
    some.push(path);
  }
  if (some.length > 0) yield some;
}

/** Drops what chown writes: its exit status says the same. */
const NOWHERE: Output = {
  isTerminal: false,
  colour: false,
  columns: 80,
  rows: 0,
  write: () => Promise.resolve(),
  print: () => {},
};

/** How much older than the run's start the change of a file may look, in ms: seconds are all we get. */
const SECOND = 1_000;

function newlyPrivileged(
  trees: readonly Entry[],
  { privileged, start, caller }: Owners,
): readonly Entry[] {
  // Nobody looked for root before: there the time of the change has to tell.
  const isNew = (entry: Entry) => caller.uid !== 0 || entry.changed > start - SECOND;
  return entriesIn(trees)
    .filter((entry) => entry.isPrivileged && !privileged.has(entry.id) && isNew(entry));
}

/**
 * Takes setuid and setgid away from the files that the run gave them to: whoever runs such a file
 * gets its owner's rights. Changing the owner does that, even to the same owner.
 */
async function dropPrivileges(
  files: readonly Entry[],
  engine: Engine,
  { caller }: Owners,
  change: Change,
  warn: Warn,
): Promise<void> {
  const left = await stillPrivileged(files);
  for (const [uid, ofUser] of Map.groupBy(left, (entry) => entry.uid)) {
    const isInside = uid === caller.uid && isRootless(await engine.info());
    const owner = isInside ? "0" : String(uid);
    await change(pathsOf(ofUser), ["chown", "-h", owner]).catch(() => {});
  }
  const dangerous = await stillPrivileged(files);
  if (dangerous.length > 0) {
    const paths = pathsOf(dangerous);
    warn(
      `The run made programs that give another user's rights away (setuid), ${shownPaths(paths)}`,
      `Remove them: sudo rm ${paths.slice(0, NAMED_PATHS).map(shellWord).join(" ")}`,
    );
  } else if (files.length > 0) {
    warn(
      `The run made files that give rights away (setuid), ${shownPaths(pathsOf(files))}`,
      "They are ordinary files now.",
    );
  }
}

/** Those that have setuid or setgid as they are now. */
async function stillPrivileged(files: readonly Entry[]): Promise<readonly Entry[]> {
  const entries = await Promise.all(files.map(({ path }) => entryAt(path)));
  return entries.filter((entry) => entry !== undefined).filter(({ isPrivileged }) => isPrivileged);
}

/** Warns of what could not be looked at, and was not given to the caller as a part of a whole, either. */
function reportUnseen(
  trees: readonly Entry[],
  { foreign, closed }: Owners,
  given: readonly string[],
  warn: Warn,
): void {
  const isGiven = (path: string) =>
    given.some((whole) => path === whole || path.startsWith(whole + SEPARATOR));
  const unseen = entriesIn(trees).filter((entry) =>
    isUnseen(entry) && !foreign.has(entry.id) && !closed.has(entry.id) && !isGiven(entry.path)
  );
  if (unseen.length === 0) return;
  warn(
    `What the run left was not looked at: ${shownPaths(pathsOf(unseen))} (a name that is not ` +
      "UTF-8, too long a path, or too many files)",
    "Programs in it may have another user's rights (setuid). Only who may enter test_dir reaches " +
      "them.",
  );
}

/** Warns of what the run changed that still belongs to another user, devices included. */
function reportKept(
  trees: readonly Entry[],
  { caller, foreign }: Owners,
  warn: Warn,
): void {
  if (caller.uid === 0) return;
  const kept = entriesIn(trees).filter((entry) => {
    if (entry.uid === caller.uid || entry.kind === "unknown") return false;
    const stateBefore = foreign.get(entry.id);
    if (stateBefore === undefined) return true;
    // A directory is changed by what is made in it, and that has been handed over.
    return entry.kind !== "directory" && stateBefore !== entry.state;
  });
  if (kept.length === 0) return;
  const paths = pathsOf(kept);
  warn(
    `The run changed what belongs to another user, ${shownPaths(paths)}`,
    `It stays theirs. If it should be yours: sudo chown -h ${caller.uid}:${caller.gid} ` +
      paths.slice(0, NAMED_PATHS).map(shellWord).join(" "),
  );
}

function pathsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ path }) => path);
}

function shownPaths(paths: readonly string[]): string {
  return listed(paths.map(shortened));
}

/** How much of a path is shown, in characters. */
const SHOWN_PATH = 300;

function shortened(path: string): string {
  return path.length <= SHOWN_PATH ? path : `${path.slice(0, SHOWN_PATH)}...`;
}
