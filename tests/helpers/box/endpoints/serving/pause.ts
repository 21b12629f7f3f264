/**
 * Waiting that the end of the box ends.
 *
 * @module
 */

/** Waits so many ms; less where the signal comes. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  // A timer of more than 24 days would fire at once.
  const timer = setTimeout(resolve, Math.min(milliseconds, 2 ** 31 - 1));
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
