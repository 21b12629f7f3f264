/**
 * How often something in the cloud is asked about.
 *
 * @module
 */

/** Until the second question, in ms: emulators are quick. */
export const FIRST_PAUSE = 250;

/** Between two questions about what goes on to change, in ms. */
export const PAUSE_WITH_NEWS = 2_000;

/**
 * Between two questions about what stays as it is, in ms. (The SageMaker Python SDK asks every 10 s
 * for the log of a job, and every 30 s for its state; several instances take 5 to 10 minutes.)
 */
const LONGEST_PAUSE = 10_000;

/** The pause after one of so many ms. */
export function nextPause(length: number, hasNews = false): number {
  return Math.min(2 * length, hasNews ? PAUSE_WITH_NEWS : LONGEST_PAUSE);
}
