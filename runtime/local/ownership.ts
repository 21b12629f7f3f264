/**
 * Gives the caller the files that a container wrote. Containers run as the image's user, as on SageMaker.
 * That is usually root, and with a rootful engine on Linux, the files belong to root.
 */

import { SEPARATOR } from "@std/path/constants";
import { shellWord } from "../app/typed_path.ts";
import type { Caller } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { isRootless } from "../docker/engine_info.ts";
import { isSystemError, messageOf, MlcliError } from "../errors.ts";
import { realPathOf } from "../files.ts";
import { NOWHERE } from "../streams.ts";
import { type Message, Messages, warning } from "../messages.ts";
import { counted } from "../quantities.ts";
import { listed } from "../text.ts";
import { deadlineIn, joinSignals, type TemporarySignal } from "../time.ts";
import { runContainer } from "./container/run.ts";
import type { Host } from "./jobs.ts";
import {
  type Before,
  changesFor,
  entriesIn,
  type Entry,
  entryAlone,
  entryAt,
  isUnseen,
  pathsOf,
  remember,
} from "./owned_files.ts";
import { type OwnershipCommand, ownershipPlan } from "./container/body.ts";

/** How long changing owners may take in all, in seconds. */
const TIMEOUT = 120;

/** How often to look again: each time, directories that the run had closed show one level more. */
const MOST_ROUNDS = 8;

/** Paths on one command line, in bytes: Linux takes 2 MB, the environment included. */
const LONGEST_COMMAND = 1_000_000;

/**
 * How many entries of a directory are looked at where root runs mlcli, which takes some 50 ms: nothing
 * is given to root, and other users may not enter the directory.
 */
const MOST_FOR_ROOT = 10_000;

const NAMED_PATHS = 3;

export interface OwnersBefore extends Before {
  /** Real path to id. */
  readonly directories: ReadonlyMap<string, string>;
  readonly caller: Caller;
}

/**
 * Remembers who owns what in the directories that a container is going to write to. They have to be
 * there. Undefined on Windows, where nothing is given to the caller.
 *
 * @param areNew whether they were made for the run, and nothing was in them before it.
 */
export async function ownersBefore(
  directories: readonly string[],
  caller: Caller | undefined,
  areNew = false,
): Promise<OwnersBefore | undefined> {
  if (caller === undefined) return undefined;
  const start = areNew ? 0 : Date.now();
  // Links among them are followed here as the engine follows them, and not again.
  const paths = await Promise.all(directories.map((path) => realPathOf(path)));
  // Root is given nothing: whose it was makes no difference.
  const trees = areNew || caller.uid === 0 ? [] : await treesOf(paths);
  return {
    ...remember(trees, start),
    directories: new Map(paths.map((path) => [path, entryAlone(path)?.id ?? ""])),
    caller,
  };
}

/**
 * Gives the files of the run to the caller, unless the caller is root, and removes setuid and setgid. Files
 * that belonged to another user before stay theirs: the user might need them, and code of a repository, run
 * as root, must not give them away. A container changes owners and modes: only root can, and the run, or
 * another one, cannot lead it elsewhere.
 *
 * @param image any image with `chown` and `chmod`, such as the one that wrote the files.
 * @returns warnings, also about a failure, because the result of the run matters more.
 */
export async function giveToCaller(
  image: string,
  before: OwnersBefore | undefined,
  host: Pick<Host, "engine" | "interruption" | "waiting">,
): Promise<readonly Message[]> {
  const warnings: Message[] = [];
  if (before === undefined) return warnings;
  try {
    const { force } = host.interruption;
    using change = new OwnerChange(await host.engine(), image, before, force, warnings);
    const words = () => change.found === 0 ? "Checking the run's files" : givingWords(change);
    const work = change.make();
    await (host.waiting?.during(words, work) ?? work);
  } catch (error) {
    if (!(error instanceof MlcliError || isSystemError(error))) throw error;
    warnings.push(warning(messageOf(error), error instanceof MlcliError ? error.hint : undefined));
  }
  return warnings;
}

function givingWords({ found }: { readonly found: number }): string {
  return `Changing the owner of ${counted(found, "file")} to you`;
}

/** Changes owners and modes, by containers, until everything is as it should be. */
class OwnerChange implements Disposable {
  /** How many files are given to the caller, directories included. */
  found = 0;
  readonly #caller: Caller;
  /** Only if needed: the first timer of a program takes Deno 2.9 10 ms. */
  #deadline: TemporarySignal | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly image: string,
    private readonly before: OwnersBefore,
    /** Ends it when the user does not want to wait. */
    private readonly force: AbortSignal,
    private readonly warnings: Message[],
  ) {
    this.#caller = before.caller;
  }

  [Symbol.dispose](): void {
    this.#deadline?.[Symbol.dispose]();
  }

  async make(): Promise<void> {
    const { uid } = this.#caller;
    const privileged = new Map<string, Entry>();
    const whole: string[] = [];
    let last = "";
    for (let round = 1;; round++) {
      const trees = await this.#treesAsBefore();
      for (const entry of this.#newlyPrivileged(trees)) privileged.set(entry.id, entry);
      // Root owns files as it likes, and gives none to itself.
      const { open, give, isRecursive } = uid === 0
        ? { open: [], give: [], isRecursive: false }
        : changesFor(trees, uid, this.before);
      if (open.length === 0 && give.length === 0) {
        await this.#dropPrivileges([...privileged.values()]);
        this.#warnOfUnseen(trees, whole);
        return this.#warnOfKept(trees);
      }
      const now = JSON.stringify([open, give]);
      if (now === last || round > MOST_ROUNDS) {
        throw this.#notGiven([...give, ...open], "chown had no effect");
      }
      last = now;
      this.found = entriesIn(trees).filter((entry) => entry.uid !== uid).length;
      try {
        if (open.length > 0) await this.#run(open, ["chmod", "0700"]);
        if (give.length > 0) {
          await this.#run(give, ["chown", isRecursive ? "-hR" : "-h", await this.#owner()]);
        }
        if (isRecursive) whole.push(...give);
      } catch (cause) {
        throw this.#notGiven(give, messageOf(cause), cause);
      }
    }
  }

  /** In a rootless engine, root in the container is the caller outside. */
  async #owner(): Promise<string> {
    const { uid, gid } = this.#caller;
    return isRootless(await this.engine.info()) ? "0:0" : `${uid}:${gid}`;
  }

  #notGiven(paths: readonly string[], reason: string, cause?: unknown): MlcliError {
    const { uid, gid } = this.#caller;
    return new MlcliError(`Cannot change the owner of ${shownPaths(paths)}: ${reason}`, {
      hint: "Take ownership, because programs among these files might run with another user's " +
        `rights (setuid): sudo chown -hR ${uid}:${gid} ${typedPaths(paths)}`,
      cause,
    });
  }

  /**
   * The directories as they are now, if they are the same as before: a container that may write
   * around one of them could have put a link, or another directory, in its place.
   */
  async #treesAsBefore(): Promise<readonly Entry[]> {
    const { directories } = this.before;
    const most = this.#caller.uid === 0 ? MOST_FOR_ROOT : undefined;
    const trees = await treesOf([...directories.keys()], most);
    for (const [path, id] of directories) {
      const isSame = trees.some((tree) => tree.path === path && tree.id === id);
      if (isSame && await realPathOf(path) === path) continue;
      const message = `${path} was replaced during the run, so mlcli kept the owner of its files`;
      throw new MlcliError(message);
    }
    return trees;
  }

  /** Changes some paths, with as few containers as their length allows. */
  async #run(paths: readonly string[], command: OwnershipCommand): Promise<void> {
    this.#deadline ??= deadlineIn(TIMEOUT);
    using either = joinSignals(this.#deadline.signal, this.force);
    const { signal } = either;
    const directories = [...this.before.directories.keys()];
    for (const some of inCommands(paths)) {
      const body = ownershipPlan(this.image, directories, some, command);
      const name = `mlcli-chown-${crypto.randomUUID().slice(0, 8)}`;
      const { status, cause } = await runContainer(this.engine, name, body, {
        out: NOWHERE,
        err: NOWHERE,
        messages: new Messages(NOWHERE),
        interruption: { signal, force: signal },
      });
      if (cause !== undefined) throw cause;
      if (status !== 0) throw new Error(`${command[0]} exited with code ${status}`);
    }
  }

  #warn(message: string, hint: string): void {
    this.warnings.push(warning(message, hint));
  }

  #newlyPrivileged(trees: readonly Entry[]): readonly Entry[] {
    const { entries, start } = this.before;
    // For root, mlcli did not read the earlier state, so the time of the change decides.
    const isNew = ({ id, changed }: Entry) =>
      !entries.get(id)?.isPrivileged && (this.#caller.uid !== 0 || changed > start - SECOND);
    return entriesIn(trees).filter((entry) => entry.isPrivileged && isNew(entry));
  }

  /**
   * Takes setuid and setgid away from the files that the run gave them to: whoever runs such a file
   * gets its owner's rights.
   */
  async #dropPrivileges(files: readonly Entry[]): Promise<void> {
    if (files.length === 0) return;
    const left = await stillPrivileged(files);
    if (left.length > 0) await this.#run(pathsOf(left), ["chmod", "ug-s"]).catch(() => {});
    const dangerous = pathsOf(await stillPrivileged(left));
    if (dangerous.length === 0) {
      return this.#warn(
        `Removed the setuid bit from files that the run created: ${shownPaths(pathsOf(files))}`,
        "Check why the code sets this bit: it lets all users run a program with its owner's rights",
      );
    }
    this.#warn(
      "The run created programs that run with another user's rights (setuid): " +
        shownPaths(dangerous),
      `Remove this right (sudo chmod ug-s FILE) or the programs: sudo rm ${typedPaths(dangerous)}`,
    );
  }

  /** @param whole directories that were given to the caller with all that is in them. */
  #warnOfUnseen(trees: readonly Entry[], whole: readonly string[]): void {
    const isGiven = (path: string) =>
      whole.some((folder) => path === folder || path.startsWith(folder + SEPARATOR));
    const unseen = entriesIn(trees).filter((entry) => {
      const earlier = this.before.entries.get(entry.id);
      const wasSo = earlier && (earlier.uid !== this.#caller.uid || isUnseen(earlier));
      return isUnseen(entry) && !wasSo && !isGiven(entry.path);
    });
    if (unseen.length === 0) return;
    this.#warn(
      `Cannot check for setuid programs in ${shownPaths(pathsOf(unseen))} (a name that is not ` +
        "UTF-8, a path that is too long, or too many files)",
      "Do not give other users access to test_dir: programs in it might run with another user's " +
        "rights (setuid)",
    );
  }

  /** Warns of changed files that still belong to another user. */
  #warnOfKept(trees: readonly Entry[]): void {
    const { uid, gid } = this.#caller;
    if (uid === 0) return;
    const kept = entriesIn(trees).filter((entry) => {
      if (entry.uid === uid || entry.kind === "unknown") return false;
      const earlier = this.before.entries.get(entry.id);
      // Creating a file changes its directory, and that file already belongs to the caller.
      return !earlier || (entry.kind !== "directory" && earlier.state !== entry.state);
    });
    if (kept.length === 0) return;
    const paths = pathsOf(kept);
    this.#warn(
      `The run changed files that another user owns: ${shownPaths(paths)}`,
      `To take ownership: sudo chown -h ${uid}:${gid} ${typedPaths(paths)}`,
    );
  }
}

async function treesOf(
  directories: readonly string[],
  most = Infinity,
): Promise<readonly Entry[]> {
  const entries = await Promise.all(directories.map((path) => entryAt(path, { left: most })));
  return entries.filter((entry) => entry !== undefined);
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

/** Deno knows the time of a change only to the second: it may look so much older, in ms. */
const SECOND = 1_000;

async function stillPrivileged(files: readonly Entry[]): Promise<readonly Entry[]> {
  const entries = await Promise.all(files.map(({ path }) => entryAt(path)));
  return entries.filter((entry) => entry !== undefined).filter(({ isPrivileged }) => isPrivileged);
}

function shownPaths(paths: readonly string[]): string {
  return listed(
    paths.map((path) => path.length <= SHOWN_PATH ? path : `${path.slice(0, SHOWN_PATH)}...`),
  );
}

const SHOWN_PATH = 300;

function typedPaths(paths: readonly string[]): string {
  return paths.slice(0, NAMED_PATHS).map(shellWord).join(" ");
}
