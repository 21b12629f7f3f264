/**
 * The waits of one request to the engine.
 *
 * @module
 */

import { onAbort } from "../time.ts";
import type { EngineWait, Patience } from "./patience.ts";

/** What decides how long a call may take. */
export type Limits = Pick<Patience, "during">;

/** For who has limits of their own. */
export const NO_LIMITS: Limits = { during: (_wait, _cut, work) => work() };

/** What one request says of its waits. */
export interface WaitingOptions {
  /** Ends them; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Whether its answer goes on for as long as something else does: only its head has a limit. */
  readonly isStream?: boolean;
}

/** The waits of one request: for its answer's head, and for each part of the body. */
export class Waiting {
  readonly #patience: Limits;
  readonly #wait: EngineWait;
  readonly #isStream: boolean;
  /** Ends the request. */
  readonly #cut = new AbortController();
  readonly #listening: Disposable | undefined;
  #hasHead = false;

  constructor(
    patience: Limits,
    wait: EngineWait,
    { signal, isStream = false }: WaitingOptions,
  ) {
    this.#patience = patience;
    this.#wait = wait;
    this.#isStream = isStream;
    // Also between the waits, where nobody reads.
    this.#listening = signal && onAbort(signal, () => this.#cut.abort(signal.reason));
  }

  /** There is nothing more to wait for. (A signal may outlive very many requests.) */
  end(): void {
    this.#listening?.[Symbol.dispose]();
  }

  /**
   * Waits for one part.
   *
   * @param work is given a signal that breaks it off.
   * @param failure the error for what it throws by itself.
   */
  async during<T>(
    work: (signal: AbortSignal) => Promise<T>,
    failure: (cause: unknown) => unknown,
  ): Promise<T> {
    const cut = this.#cut;
    const isEndless = this.#isStream && this.#hasHead;
    const wait: EngineWait = isEndless ? { ...this.#wait, effort: "wait" } : this.#wait;
    try {
      const part = await this.#patience.during(wait, cut, () => work(cut.signal));
      this.#hasHead = true;
      return part;
    } catch (cause) {
      this.end();
      throw cut.signal.aborted ? cut.signal.reason : failure(cause);
    }
  }
}
