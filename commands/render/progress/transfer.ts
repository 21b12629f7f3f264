/** Shows an upload or a download: how many bytes of how many, how fast, how long still. */

import { fitParts } from "../../../runtime/cells.ts";
import { byteCount, elapsedText } from "../../../runtime/quantities.ts";
import type { ProgressOutput } from "./output.ts";

/** Between two lines in a pipe, in ms. */
const LINE_INTERVAL = 10_000;

export interface TransferState {
  /** Bytes that were sent or received. */
  readonly bytes: number;
  /** Bytes that were there already. */
  readonly skipped?: number;
  /** Bytes in all; `undefined` where that is not known. */
  readonly total: number | undefined;
  /** Further parts of the line: `2 of 5 layers`. */
  readonly more?: readonly string[];
  /** Lines below it, on a terminal. */
  readonly below?: readonly string[];
}

export class TransferProgress {
  readonly #sent: Pace;
  /** With what was there already. */
  readonly #done: Pace;
  #lastLine: number;
  #state: TransferState | undefined;

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(private readonly shown: ProgressOutput, private readonly now: () => number) {
    this.#sent = new Pace(now);
    this.#done = new Pace(now);
    this.#lastLine = now();
    shown.live(() => {
      if (this.#state === undefined) return [];
      const text = fitParts(this.#parts(this.#state), shown.columns);
      const below = (this.#state.below ?? []).slice(0, shown.rows - 1);
      return [text, ...below.map((line) => fitParts([line], shown.columns))].map((text) => ({
        text,
      }));
    });
  }

  reached(state: TransferState): void {
    this.#state = state;
    this.#sent.reached(state.bytes);
    this.#done.reached(state.bytes + (state.skipped ?? 0));
    this.shown.changed();
    if (this.now() - this.#lastLine < LINE_INTERVAL) return;
    this.#lastLine = this.now();
    this.shown.plain(this.#parts(state).join(", "));
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

/** In ms: the speed is that of the last ten seconds. */
const WINDOW = 10_000;

/** In ms: the speed is not known earlier. */
const LEAST = 1_000;

export class Pace {
  readonly #samples: (readonly [time: number, amount: number])[];

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(private readonly now: () => number) {
    this.#samples = [[now(), 0]];
  }

  /** @param amount what is done by now, in all. */
  reached(amount: number): void {
    const now = this.now();
    const samples = this.#samples;
    // A hundred of them are enough for ten seconds.
    const [last, before] = [samples.at(-1)!, samples.at(-2)];
    if (before && last[0] - before[0] < WINDOW / 100) samples.pop();
    samples.push([now, amount]);
    // The last sample before the window is its beginning.
    while (samples.length > 1 && now - samples[1]![0] >= WINDOW) samples.shift();
  }

  /** How much is done in a second; `undefined` while that is not known. */
  get rate(): number | undefined {
    const [start, before] = this.#samples[0]!;
    const elapsed = this.now() - start;
    return elapsed < LEAST ? undefined : (this.#samples.at(-1)![1] - before) / elapsed * 1000;
  }

  /** How long the remaining amount takes, in ms; `undefined` while that is not known. */
  left(remaining: number): number | undefined {
    const { rate } = this;
    return rate === undefined || rate <= 0 ? undefined : remaining / rate * 1000;
  }
}
