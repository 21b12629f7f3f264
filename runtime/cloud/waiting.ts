/**
 * Waiting for something in the cloud: asking until it is over, at shorter intervals at first.
 *
 * @module
 */

import { AwsError, isPassing } from "../aws/errors.ts";
import { pause } from "../time.ts";
import { FIRST_PAUSE, nextPause } from "./pauses.ts";

/** How long to wait, and how. */
export interface Waiting {
  /** Seconds until the wait is given up. */
  readonly timeout: number;
  /** Waits for some milliseconds; rejects when the user does not want to wait any longer. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number;
}

/**
 * A wait on the real clock.
 * @param timeout seconds.
 * @param signal ends a pause; its reason is thrown.
 */
export function waiting(timeout: number, signal: AbortSignal): Waiting {
  return {
    timeout,
    pause: (milliseconds) => pause(milliseconds, signal),
    now: () => performance.now(),
  };
}

/** What is waited for. */
export interface Wait<Answer> {
  /** Asks once. */
  readonly ask: () => Promise<Answer>;
  /** Whether the answer is the end; throws where the end is a failure. */
  readonly isOver: (answer: Answer) => boolean;
  /** Called with what is not the end: an answer, or why there was none at the moment. */
  readonly onWait: (latest: Answer | AwsError) => void;
  /** Makes the error for a wait that took too long. */
  readonly tooLong: (latest: Answer | AwsError) => AwsError;
}

/**
 * Waits until it is over. A service that does not answer for a while is asked again.
 *
 * @throws AwsError for a refusal that will not pass, or when the time is over.
 */
export async function waitUntil<Answer>(
  { ask, isOver, onWait, tooLong }: Wait<Answer>,
  { timeout, pause, now }: Waiting,
): Promise<void> {
  const end = now() + timeout * 1000;
  for (let next = FIRST_PAUSE;; next = nextPause(next)) {
    const latest = await ask().catch(passingError);
    if (!(latest instanceof AwsError) && isOver(latest)) return;
    const left = end - now();
    if (left <= 0) throw tooLong(latest);
    onWait(latest);
    await pause(Math.min(next, left));
  }
}

function passingError(error: unknown): AwsError {
  if (isPassing(error)) return error;
  throw error;
}
