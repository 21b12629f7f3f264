/** How long mlcli waits for the engine: one rule for all its calls, so that none waits for ever. */

import { onAbort } from "../time.ts";
import { BrokenEngine } from "./errors.ts";

/** What a call asks of the engine, which decides how long it may take. */
export type Effort =
  /** Looks something up, or sends the head of an answer whose body takes longer. */
  | "ask"
  /** Makes, starts, changes or removes something. */
  | "act"
  /** Waits for something else: a build, a registry, lines of a log. There is no limit. */
  | "wait";

/**
 * How long an answer may take, in seconds. A busy engine needs seconds to list its containers. One
 * that copies images, as with its storage driver vfs or with another user's numbers on Podman, needs
 * minutes to create or remove a container of a large one.
 */
const LIMITS = { ask: 60, act: 600 } as const;

/** How long the removal of a container may take at a command's end, in ms: the user waits for it. */
export const REMOVAL_TIMEOUT = 30_000;

/** After so many seconds the user is told what mlcli waits for. */
const NOTICE_AFTER = 10;

/** The limit after an interruption, or after a call that got no answer, in seconds. */
const SHORT = 5;

/** The limit after both, in seconds: the call is still sent, for an engine that wakes up later. */
const SHORTEST = 1;

/** The engine is there, but does not answer a call. */
export class SilentEngine extends BrokenEngine {
  /**
   * @param call method and path, or what mlcli waited for.
   * @param seconds how long it has waited.
   * @param cause an `Interrupted` where that made the wait short.
   */
  constructor(call: string, seconds: number, cause?: unknown) {
    super(`The Docker Engine did not respond within ${seconds} s (${callInWords(call)})`, {
      hint: "Restart Docker, or wait until docker ps responds, then try again",
      cause,
    });
  }
}

export interface TimeLimitOptions {
  /** Aborted when the user interrupts mlcli. */
  readonly interruption?: AbortSignal | undefined;
  /** Called with what mlcli waits for, where that takes long. */
  readonly onWait?: ((text: string) => void) | undefined;
  /** Makes a signal that is aborted after so many seconds; tests have their own. */
  readonly after?: ((seconds: number, call: string) => AbortSignal) | undefined;
}

/** One wait for the engine. */
export interface EngineWait {
  /** `POST /containers/ID/start` */
  readonly call: string;
  readonly effort: Effort;
  /** Seconds that it may take longer, such as those that a container has to end. */
  readonly grace?: number | undefined;
  /** A lower limit than that of its effort, in seconds. */
  readonly within?: number | undefined;
}

/**
 * Waits for one engine. A call has the time of its effort, but only a few seconds after an interruption
 * or after a call that got no answer.
 */
export class TimeLimits {
  readonly #interruption: AbortSignal;
  readonly #onWait: (text: string) => void;
  readonly #after: (seconds: number, call: string) => AbortSignal;
  /** Whether the last call that ended got no answer. */
  #isSilent = false;
  /** Whether the user has been told: once while any number of calls wait, until one has ended. */
  #isTold = false;

  constructor({ interruption, onWait, after }: TimeLimitOptions = {}) {
    this.#interruption = interruption ?? new AbortController().signal;
    this.#onWait = onWait ?? (() => {});
    // Not `setTimeout`: the first of a program takes Deno 2.9 four milliseconds.
    this.#after = after ?? ((seconds) => AbortSignal.timeout(seconds * 1000));
  }

  /**
   * Does one part of a call: sends it and waits for its answer's head, or reads a part of its body.
   *
   * @param cut is aborted when the time is over.
   * @param work fails with the reason of `cut` once that is aborted.
   * @throws SilentEngine
   */
  async during<T>(wait: EngineWait, cut: AbortController, work: () => Promise<T>): Promise<T> {
    if (wait.effort === "wait") return await work();
    using timers = new DisposableStack();
    let isOver = false;
    const limit = (seconds: number): void => {
      timers.use(onAbort(this.#after(seconds, wait.call), () => {
        isOver = true;
        const { aborted, reason } = this.#interruption;
        cut.abort(new SilentEngine(wait.call, seconds, aborted ? reason : undefined));
      }));
    };
    limit(this.#seconds(wait));
    if (!this.#interruption.aborted) {
      timers.use(onAbort(this.#interruption, () => limit(this.#seconds(wait))));
      const seconds = NOTICE_AFTER + (wait.grace ?? 0);
      timers.use(onAbort(this.#after(seconds, wait.call), () => this.#say(wait.call)));
    }
    try {
      const answer = await work();
      this.#isSilent = false;
      return answer;
    } finally {
      if (isOver) this.#isSilent = true;
      else this.#isTold = false;
    }
  }

  #say(call: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onWait(`Waiting for the Docker Engine (${callInWords(call)})`);
  }

  #seconds({ effort, grace = 0, within = Infinity }: EngineWait): number {
    const { aborted } = this.#interruption;
    if (this.#isSilent) return aborted ? SHORTEST : SHORT;
    if (aborted || effort === "wait") return SHORT + grace;
    return Math.min(LIMITS[effort], within) + grace;
  }
}

/** What a call does, by its method and the end of its path. */
const WORDS: readonly (readonly [call: RegExp, words: string])[] = [
  [/^POST .*\/containers\/create$/, "creating a container"],
  [/^POST .*\/start$/, "starting a container"],
  [/^POST .*\/(?:stop|kill)$/, "stopping a container"],
  [/^POST .*\/rename$/, "renaming a container"],
  [/^POST .*\/attach$/, "connecting to a container"],
  [/^POST .*\/wait$/, "waiting for a container"],
  [/^PUT .*\/archive$/, "copying files into a container"],
  [/^(?:HEAD|GET) .*\/archive$/, "reading files in a container"],
  [/^POST .*\/exec(?:\/[^/]+\/start)?$/, "running a program in a container"],
  [/^DELETE .*\/containers\//, "removing a container"],
  [/^GET .*\/logs$/, "reading a log"],
  [/^GET .*\/containers\/json$/, "listing containers"],
  [/^GET .*\/containers\/.*\/json$/, "inspecting a container"],
  [/^GET .*\/images\/.*\/json$/, "inspecting an image"],
  [/^GET .*\/(?:info|version)$/, "identifying the engine"],
  [/^POST .*\/tag$/, "tagging an image"],
  [/^DELETE .*\/images\//, "removing the tag of an image"],
];

function callInWords(call: string): string {
  return WORDS.find(([pattern]) => pattern.test(call))?.[1] ?? call;
}

/** What decides how long a call may take. */
export type Limits = Pick<TimeLimits, "during">;

/** For callers with time limits of their own. */
export const NO_LIMITS: Limits = { during: (_wait, _cut, work) => work() };

/** How one request is waited for. */
export interface WaitingOptions {
  /** Ends the request; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Whether its answer lasts as long as something else does: then only its head has a limit. */
  readonly isStream?: boolean;
}

/** The waits of one request: for its answer's head, and for each part of the body. */
export class Waiting {
  readonly #isStream: boolean;
  /** Ends the request. */
  readonly #cut = new AbortController();
  readonly #listening: Disposable | undefined;
  #hasHead = false;

  constructor(
    private readonly limits: Limits,
    private readonly wait: EngineWait,
    { signal, isStream = false }: WaitingOptions,
  ) {
    this.#isStream = isStream;
    // Between the waits, too, when nobody reads.
    this.#listening = signal && onAbort(signal, () => this.#cut.abort(signal.reason));
  }

  /** Stops listening to the signal, which may outlive very many requests. */
  end(): void {
    this.#listening?.[Symbol.dispose]();
  }

  /**
   * Waits for one part.
   *
   * @param work gets the signal that ends the request.
   * @param failure makes the error for what `work` throws by itself.
   */
  async during<T>(
    work: (signal: AbortSignal) => Promise<T>,
    failure: (cause: unknown) => unknown,
  ): Promise<T> {
    const cut = this.#cut;
    const isEndless = this.#isStream && this.#hasHead;
    const wait: EngineWait = isEndless ? { ...this.wait, effort: "wait" } : this.wait;
    try {
      const part = await this.limits.during(wait, cut, () => work(cut.signal));
      this.#hasHead = true;
      return part;
    } catch (cause) {
      this.end();
      throw cut.signal.aborted ? cut.signal.reason : failure(cause);
    }
  }
}
