/**
 * Waiting until somebody edits what lies in some directories.
 *
 * What the system tells of files only hastens a look at them: editors replace files, a training
 * replaces a directory, and some file systems tell nothing. So they are looked at every second, too.
 */

import { join } from "@std/path/join";
import { listed } from "../../text.ts";
import { type Clock, joinSignals } from "../../time.ts";
import { isNoCode, type Source } from "../../source/source.ts";
import { changedBetween, type Tree, treeIn } from "./tree.ts";

export interface WatchedFolder {
  readonly path: string;
  /** Real path of the directory that its links must not lead out of. */
  readonly boundary: string;
  /** Its path in messages. */
  readonly shown: string;
  /** What is said when it has changed, whatever file it was; by default, which files were edited. */
  readonly words?: string;
  /** Whether an empty one is no change: it is being written. */
  readonly needsFile?: boolean;
  /** Whether a path in it is not looked at. */
  readonly isNoCode?: (path: string) => boolean;
}

/** Code that is sent. */
export function watchedCode({ path: directory, shown, boundary }: Source): WatchedFolder {
  const isOut = (path: string): boolean => isNoCode(join(directory, path), directory);
  return { path: directory, shown, boundary, isNoCode: isOut };
}

/** All of them at a moment. One that holds too many files to be looked at is undefined. */
export type Look = readonly (Tree | undefined)[];

export interface Change {
  readonly look: Look;
  /** `prediction/serve edited`, `model trained` */
  readonly words: string;
  /** When it was noticed, by the clock. */
  readonly at: number;
}

/** Between two looks that nothing has hastened, in ms. */
const INTERVAL = 1_000;

/** How long (ms) nothing may change before what has changed counts: several files are one edit. */
const QUIET = 50;

/** How often it is looked whether that is so; a training that writes on and on is no edit. */
const MOST_LOOKS = 100;

export class Watch {
  /** @param around directories in which one of them appears or is replaced. */
  constructor(
    private readonly folders: readonly WatchedFolder[],
    private readonly around: readonly string[],
    private readonly clock: Clock,
  ) {}

  look(): Promise<Look> {
    return Promise.all(
      this.folders.map(({ path, boundary, isNoCode }) => treeIn(path, "times", boundary, isNoCode)),
    );
  }

  /**
   * Waits until something is different.
   *
   * @throws the signal's reason.
   */
  async change(since: Look, signal: AbortSignal): Promise<Change> {
    using hints = new Hints();
    hints.listenTo(this.#directoriesOf(since));
    while (true) {
      const hint = hints.next();
      const look = await this.look();
      hints.listenTo(this.#directoriesOf(look));
      if (this.#wordsOf(since, look) !== undefined) {
        const at = this.clock.now();
        const settled = await this.#settled(look, signal);
        const words = this.#wordsOf(since, settled);
        // Else it was taken back.
        if (words !== undefined) return { look: settled, words, at };
      }
      using either = joinSignals(signal, hint);
      await this.clock.pause(INTERVAL, either.signal).catch(() => signal.throwIfAborted());
    }
  }

  #directoriesOf(look: Look): readonly string[] {
    const folders = this.folders.flatMap(({ path }, index) =>
      (look[index]?.folders ?? []).map((folder) => join(path, folder))
    );
    return [...this.around, ...folders].slice(0, MOST_DIRECTORIES);
  }

  async #settled(first: Look, signal: AbortSignal): Promise<Look> {
    let look = first;
    for (let number = 0; number < MOST_LOOKS; number++) {
      await this.clock.pause(QUIET, signal);
      const next = await this.look();
      if (this.#wordsOf(look, next) === undefined) return next;
      look = next;
    }
    return look;
  }

  #wordsOf(before: Look, after: Look): string | undefined {
    const words = this.folders.flatMap(({ shown, words, needsFile = false }, index) => {
      const [one, other] = [before[index], after[index]];
      if (one === undefined || other === undefined) return [];
      if (needsFile && other.files.size === 0) return [];
      const paths = changedBetween(one, other);
      if (paths.length === 0) return [];
      return words ?? `${listed(paths.map((path) => `${shown}/${path}`))} edited`;
    });
    return words.length === 0 ? undefined : words.join(", ");
  }
}

/** How many directories the system is asked to tell of: it may have few to give to each user. */
const MOST_DIRECTORIES = 256;

/** Listens to what the system tells of files, until it is disposed of. */
class Hints implements Disposable {
  #watcher: Deno.FsWatcher | undefined;
  #directories = "";
  #next = new AbortController();

  /**
   * @param directories each by itself: with all below it, Deno would follow every link that a
   * repository or its data holds, to all of the disk.
   */
  listenTo(directories: readonly string[]): void {
    const key = directories.join("\0");
    if (key === this.#directories) return;
    this[Symbol.dispose]();
    this.#directories = key;
    this.#listen(directories);
  }

  /** Aborted when something happens from now on. */
  next(): AbortSignal {
    if (this.#next.signal.aborted) this.#next = new AbortController();
    return this.#next.signal;
  }

  async #listen(directories: readonly string[]): Promise<void> {
    try {
      // With one that is not there, Deno would watch none.
      const watcher = Deno.watchFs(directories.filter(isThere), { recursive: false });
      this.#watcher = watcher;
      for await (const { kind } of watcher) if (kind !== "access") this.#next.abort();
    } catch {
      // The system watches no more: they are looked at nevertheless.
    }
  }

  [Symbol.dispose](): void {
    try {
      this.#watcher?.close();
    } catch {
      // It was closed with what it watched.
    }
    this.#watcher = undefined;
  }
}

function isThere(directory: string): boolean {
  try {
    return Deno.statSync(directory).isDirectory;
  } catch {
    return false;
  }
}
