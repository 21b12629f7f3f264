/**
 * Waiting that ends early where something happens. (Not through `AbortSignal.any`, whose signals
 * get lost in Deno 2.6 when memory is collected.)
 *
 * @module
 */

/** Waits so many ms; less where one of the signals comes. */
export async function pause(
  milliseconds: number,
  ...signals: readonly AbortSignal[]
): Promise<void> {
  using limit = new Limit(milliseconds, ...signals);
  if (limit.signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  limit.signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}

/** A signal that comes after so many ms, or with one of the signals; dispose of it. */
export class Limit implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #signals: readonly AbortSignal[];
  readonly #abort = (): void => this.#controller.abort();
  #isLate = false;

  constructor(milliseconds: number, ...signals: readonly AbortSignal[]) {
    this.#signals = signals;
    // A timer of more than 24 days would fire at once.
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#abort();
    }, Math.min(milliseconds, 2 ** 31 - 1));
    for (const signal of signals) {
      if (signal.aborted) this.#abort();
      else signal.addEventListener("abort", this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the time that came first. */
  get isLate(): boolean {
    return this.#isLate;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#abort);
  }
}
