/**
 * Shows bytes on their way: how many of how many, how fast, how long still.
 *
 * @module
 */

import { elapsedText } from "../duration.ts";
import { byteCount } from "../quantity.ts";
import { fitParts } from "../../../runtime/cells.ts";
import { Pace } from "./pace.ts";
import type { Shown } from "./shown.ts";

/** How often (ms) it is told in a pipe. */
const TOLD = 10_000;

/** How far it is. */
export interface TransferState {
  /** Bytes that were sent or received. */
  readonly bytes: number;
  /** Bytes that were there already. */
  readonly skipped?: number;
  /** Bytes in all; `undefined` where that is not known. */
  readonly total: number | undefined;
  /** What else there is to say: `2 of 5 layers`. */
  readonly more?: readonly string[];
  /** Lines below it, on a terminal. */
  readonly below?: readonly string[];
}

/** Shows a transfer as it goes on. */
export class ShownTransfer {
  readonly #shown: Shown;
  readonly #now: () => number;
  /** Of what is sent, and of what is done with: what was there already included. */
  readonly #sent: Pace;
  readonly #done: Pace;
  #told: number;
  #state: TransferState | undefined;

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(shown: Shown, now: () => number) {
    this.#shown = shown;
    this.#now = now;
    this.#sent = new Pace(now);
    this.#done = new Pace(now);
    this.#told = now();
    shown.live(() => {
      if (this.#state === undefined) return [];
      const text = fitParts(this.#parts(this.#state), shown.columns);
      const below = (this.#state.below ?? []).slice(0, shown.rows - 1);
      return [text, ...below.map((line) => fitParts([line], shown.columns))].map((text) => ({
        text,
      }));
    });
  }

  /** It is so far now. */
  reached(state: TransferState): void {
    this.#state = state;
    this.#sent.reached(state.bytes);
    this.#done.reached(state.bytes + (state.skipped ?? 0));
    this.#shown.changed();
    if (this.#now() - this.#told < TOLD) return;
    this.#told = this.#now();
    this.#shown.plain(this.#parts(state).join(", "));
  }

  #parts({ bytes, skipped = 0, total, more = [] }: TransferState): readonly string[] {
    const done = bytes + skipped;
    const { rate } = this.#sent;
    const left = total === undefined || done >= total ? undefined : this.#done.left(total - done);
    const of = total === undefined ? byteCount(done) : `${byteCount(done)} of ${byteCount(total)}`;
    return [
      ...total === 0 ? [] : [of],
      ...left === undefined ? [] : [`${elapsedText(left)} left`],
      ...rate === undefined || rate < 1 ? [] : [`${byteCount(Math.round(rate))}/s`],
      ...more,
    ];
  }
}
