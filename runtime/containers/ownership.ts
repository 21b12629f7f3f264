/**
 * Gives the caller what a container wrote. Containers run as the image says, as on the platform,
 * which is mostly root; on a rootful engine on Linux, root's files stay behind.
 *
 * @module
 */

import type { Caller } from "../context.ts";
import { type Engine, isRootless } from "../docker/engine.ts";
import { messageOf, MlcliError } from "../errors.ts";
import { realPathOf } from "../files.ts";
import { shellWord } from "../project/typed_path.ts";
import type { Output } from "../streams.ts";
import { deadlineIn } from "./abort.ts";
import {
  type Before,
  type Entry,
  entryAt,
  everyEntry,
  handOverOf,
  PRIVILEGE_BITS,
} from "./owned_files.ts";
import { runToEnd } from "./run.ts";
import { ownershipPlan } from "./service_plans.ts";

/** How long changing the owner may take, in seconds. */
const TIMEOUT = 120;

/** Paths on one command line, in characters: Linux takes 2 MB, the environment included. */
const LONGEST_COMMAND = 1_000_000;

/** So many paths are named in a message. */
const NAMED_PATHS = 3;

/** Whose everything was before a run. */
export interface Owners extends Before {
  /** Real paths. */
  readonly directories: readonly string[];
  readonly caller: Caller;
  /** When each had been written to, in ms since 1970. */
  readonly foreign: ReadonlyMap<string, number>;
}

/**
 * Remembers whose everything is in the directories that a container is going to write to. Undefined
 * where nothing will have to be handed over: root (and Windows) has no need of that.
 */
export async function ownersOf(
  directories: readonly string[],
  caller: Caller | undefined,
): Promise<Owners | undefined> {
  if (caller === undefined || caller.uid === 0) return undefined;
  // Links among them are followed here as the engine follows them, and not again.
  const real = await Promise.all(directories.map((path) => realPathOf(path)));
  const foreign = new Map<string, number>();
  const privileged = new Set<string>();
  for (const tree of await treesOf(real)) {
    for (const entry of everyEntry(tree)) {
      if (entry.uid !== caller.uid) foreign.set(entry.id, entry.written);
      if (entry.isPrivileged) privileged.add(entry.id);
    }
  }
  return { directories: real, caller, foreign, privileged };
}

/**
 * Makes what the run wrote the caller's. What was somebody else's before stays so: it may lie there
 * for its owner, and a repository that root's container filled must not give it away. A container
 * does it, since only root may.
 *
 * @param image any image with `chown`; the one that wrote the files is at hand.
 * @param warn tells the user what stays as it is, or was changed.
 * @throws MlcliError of kind `engine` when it cannot be done, with the command that does it.
 */
export async function handToCaller(
  engine: Engine,
  image: string,
  before: Owners,
  warn: (message: string, hint: string) => void,
): Promise<void> {
  const { directories, caller } = before;
  let owner: string | undefined;
  let lastPaths = "";
  const privileged = new Map<string, Entry>();
  // Directories that only their new owner may read show one level more each time; mostly there are
  // none, or nothing of somebody else's can be in them.
  while (true) {
    const trees = await treesOf(directories);
    const plans = trees.map((tree) => handOverOf(tree, caller.uid, before));
    const whole = plans.flatMap((plan) => plan.whole);
    const alone = plans.flatMap((plan) => plan.alone);
    const paths = [...whole, ...alone];
    for (const entry of trees.flatMap((tree) => [...everyEntry(tree)])) {
      const isNew = entry.isPrivileged && !before.privileged.has(entry.id);
      if (isNew && !before.foreign.has(entry.id)) privileged.set(entry.id, entry);
    }
    if (paths.length === 0) {
      await dropPrivileges([...privileged.values()], warn);
      return reportKept(trees, before, warn);
    }
    if (paths.join("\0") === lastPaths) throw notHandedOver(paths, caller, "chown changed nothing");
    lastPaths = paths.join("\0");
    // In a rootless engine, root in the container is the caller outside.
    owner ??= isRootless(await engine.info()) ? "0:0" : `${caller.uid}:${caller.gid}`;
    try {
      await changeOwner(engine, image, directories, alone, owner, "-h");
      await changeOwner(engine, image, directories, whole, owner, "-hR");
    } catch (cause) {
      throw notHandedOver(paths, caller, messageOf(cause), cause);
    }
  }
}

function notHandedOver(
  paths: readonly string[],
  { uid, gid }: Caller,
  reason: string,
  cause?: unknown,
): MlcliError {
  return new MlcliError(
    "engine",
    `Some files belong to another user, ${listed(paths)}: ${reason}`,
    {
      hint: `sudo chown -hR ${uid}:${gid} ${paths.slice(0, NAMED_PATHS).map(shellWord).join(" ")}`,
      cause,
    },
  );
}

async function treesOf(directories: readonly string[]): Promise<readonly Entry[]> {
  const entries = await Promise.all(directories.map(entryAt));
  return entries.filter((entry) => entry !== undefined);
}

/** Changes the owner of some paths, with as few containers as their length allows. */
async function changeOwner(
  engine: Engine,
  image: string,
  directories: readonly string[],
  paths: readonly string[],
  owner: string,
  options: "-h" | "-hR",
): Promise<void> {
  for (const some of inCommands(paths)) {
    const body = ownershipPlan(image, directories, some, owner, options);
    const name = `mlcli-chown-${crypto.randomUUID().slice(0, 8)}`;
    using deadline = deadlineIn(TIMEOUT);
    const { status } = await runToEnd(engine, name, body, {
      out: NOWHERE,
      err: NOWHERE,
      interruption: { signal: deadline.signal, force: deadline.signal },
    });
    if (status !== 0) throw new Error(`chown ended with exit status ${status}`);
  }
}

function* inCommands(paths: readonly string[]): Generator<readonly string[]> {
  let some: string[] = [];
  let length = 0;
  for (const path of paths) {
    length += path.length + 1;
    if (length > LONGEST_COMMAND) {
      yield some;
      some = [];
      length = path.length + 1;
    }
    some.push(path);
  }
  if (some.length > 0) yield some;
}

/** What chown has to say, its exit status says, too. */
const NOWHERE: Output = {
  isTerminal: false,
  colour: false,
  columns: 80,
  write: () => Promise.resolve(),
  print: () => {},
};

/**
 * Takes setuid and setgid away from files that became the caller's: whoever runs such a file gets
 * the caller's rights. (Changing the owner does so by itself, but not all of them were changed.)
 */
async function dropPrivileges(
  files: readonly Entry[],
  warn: (message: string, hint: string) => void,
): Promise<void> {
  if (files.length === 0) return;
  for (const { path } of files) {
    const { mode } = await Deno.lstat(path);
    await Deno.chmod(path, (mode ?? 0) & 0o7777 & ~PRIVILEGE_BITS);
  }
  warn(
    `The run made files that give rights away (setuid), ${listed(pathsOf(files))}`,
    "They are ordinary files now.",
  );
}

/** Says what the run wrote to that is still somebody else's, devices included. */
function reportKept(
  trees: readonly Entry[],
  { caller, foreign }: Owners,
  warn: (message: string, hint: string) => void,
): void {
  const kept = trees.flatMap((tree) => [...everyEntry(tree)]).filter((entry) => {
    if (entry.uid === caller.uid) return false;
    const writtenBefore = foreign.get(entry.id);
    if (writtenBefore === undefined) return true;
    // A directory is written to by what is made in it, and that has been handed over.
    return entry.kind !== "directory" && writtenBefore !== entry.written;
  });
  if (kept.length === 0) return;
  const paths = pathsOf(kept);
  warn(
    `The run wrote to what belongs to another user, ${listed(paths)}`,
    `It stays theirs. If it should be yours: sudo chown -h ${caller.uid}:${caller.gid} ` +
      paths.slice(0, NAMED_PATHS).map(shellWord).join(" "),
  );
}

function pathsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ path }) => path);
}

function listed(paths: readonly string[]): string {
  const more = paths.length - NAMED_PATHS;
  return paths.slice(0, NAMED_PATHS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
