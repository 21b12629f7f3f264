/**
 * Waiting that ends when a signal is aborted.
 *
 * @module
 */

/** Fails when the signal is aborted, with its reason. */
export function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** A time limit that is lifted when it is disposed of. */
export interface Deadline extends Disposable {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
}

/**
 * A time limit. (`AbortSignal.timeout` has no end but its time: while somebody listens to it, it
 * keeps the program from ending.)
 *
 * @param seconds from now.
 */
export function deadlineIn(seconds: number): Deadline {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error(`not done in ${seconds} s`)), seconds * 1000);
  return { signal: over.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
