/** How long requests took: a histogram of their times, which takes no more room as they come. */

/** Each step is so many times the one before: times are right within one percent. */
const STEP = Math.log(1.02);

export class Latencies {
  readonly #steps = new Map<number, number>();
  #count = 0;

  add(ms: number): void {
    const step = Math.round(Math.log(Math.max(0.01, ms)) / STEP);
    this.#steps.set(step, (this.#steps.get(step) ?? 0) + 1);
    this.#count++;
  }

  /** The time in ms within which such a part of the requests was answered; 0 where none was. */
  within(part: number): number {
    let left = part * this.#count;
    for (const [step, count] of [...this.#steps].sort(([one], [other]) => one - other)) {
      left -= count;
      if (left <= 0) return threeDigits(Math.exp(step * STEP));
    }
    return 0;
  }

  get percentiles(): { readonly p50: number; readonly p95: number; readonly p99: number } {
    return { p50: this.within(0.5), p95: this.within(0.95), p99: this.within(0.99) };
  }
}

export function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
