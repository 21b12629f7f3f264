/**
 * How long something that waits for others may go on when the user wants an end.
 *
 * @module
 */

import type { Interruption } from "./context.ts";
import { delayed, type JoinedSignal, joinSignals } from "./time.ts";

/** Enough to tidy up what has begun, in ms. */
const LAST_MOMENT = 5_000;

/**
 * A signal that is aborted by the second Ctrl-C, or some time after the first, until it is disposed of:
 * who does not answer, or read, must not keep a program that is to end.
 *
 * @param milliseconds after the first.
 */
export function lastMoment(
  { signal, force }: Interruption,
  milliseconds = LAST_MOMENT,
): JoinedSignal {
  const held = new DisposableStack();
  const late = held.use(delayed(signal, milliseconds));
  const first = held.use(joinSignals(force, late.signal));
  return { signal: first.signal, [Symbol.dispose]: () => held.dispose() };
}
