/**
 * How fast something goes, and when it will be done.
 *
 * @module
 */

/** What came before (ms) says nothing about now. */
const WINDOW = 10_000;

/** In less time (ms) there is nothing to say yet. */
const LEAST = 1_000;

/** The speed of the last ten seconds. */
export class Pace {
  readonly #now: () => number;
  readonly #samples: (readonly [time: number, amount: number])[];

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(now: () => number) {
    this.#now = now;
    this.#samples = [[now(), 0]];
  }

  /** So much is done by now, in all. */
  reached(amount: number): void {
    const now = this.#now();
    const samples = this.#samples;
    // A hundred of them are enough for ten seconds.
    const [last, before] = [samples.at(-1)!, samples.at(-2)];
    if (before && last[0] - before[0] < WINDOW / 100) samples.pop();
    samples.push([now, amount]);
    // The last one before the window is where that begins.
    while (samples.length > 1 && now - samples[1]![0] >= WINDOW) samples.shift();
  }

  /** How much is done in a second; `undefined` while that is not known. */
  get rate(): number | undefined {
    const [start, before] = this.#samples[0]!;
    const elapsed = this.#now() - start;
    return elapsed < LEAST ? undefined : (this.#samples.at(-1)![1] - before) / elapsed * 1000;
  }

  /** How long so much more takes, in ms; `undefined` while that is not known. */
  left(remaining: number): number | undefined {
    const { rate } = this;
    return rate === undefined || rate <= 0 ? undefined : remaining / rate * 1000;
  }
}
