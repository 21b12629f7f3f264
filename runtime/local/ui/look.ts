/** Looks at something again and again, as long as somebody waits for news. */

import { pause } from "../../time.ts";

/** What was seen, and which news it is. */
export interface Seen<T> {
  readonly number: number;
  readonly value: T;
}

/** A look that all who wait share. */
export class Look<T> {
  #seen: Seen<T> | undefined;
  /** When it may be made again. */
  #due = 0;
  #looking: Promise<Seen<T>> | undefined;

  /**
   * @param look given what was seen before, which it returns where nothing has changed.
   * @param every how long (ms) until the next look.
   * @param signal ends all.
   */
  constructor(
    private readonly look: (before: T | undefined) => Promise<T>,
    private readonly every: number,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * What there is to see, at once where it is other news than the given number.
   *
   * @param signal ends the wait; its reason is thrown.
   */
  async next(known: number, signal: AbortSignal): Promise<Seen<T>> {
    let seen = performance.now() < this.#due ? this.#seen : undefined;
    while (seen === undefined || seen.number === known) {
      signal.throwIfAborted();
      seen = await (this.#looking ??= this.#again().finally(() => this.#looking = undefined));
    }
    return seen;
  }

  async #again(): Promise<Seen<T>> {
    await pause(Math.max(0, this.#due - performance.now()), this.signal);
    const value = await this.look(this.#seen?.value);
    this.#due = performance.now() + this.every;
    if (value === this.#seen?.value) return this.#seen;
    return this.#seen = { number: (this.#seen?.number ?? 0) + 1, value };
  }
}
