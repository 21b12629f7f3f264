/**
 * How long an upload may still tidy up when the user wants to stop.
 *
 * @module
 */

import type { Interruption } from "../../context.ts";
import { type JoinedSignal, onAbort } from "../../time.ts";

/** How long what has begun is seen to after the first Ctrl-C, in ms. */
const LAST_MOMENT = 5_000;

/**
 * A signal that is aborted by the second Ctrl-C, or some time after the first: a service that does not
 * answer must not keep a program that is to end.
 *
 * @param milliseconds after the first.
 */
export function lastMoment(
  { signal, force }: Interruption,
  milliseconds = LAST_MOMENT,
): JoinedSignal {
  const over = new AbortController();
  const held = new DisposableStack();
  let timer: ReturnType<typeof setTimeout> | undefined;
  held.defer(() => clearTimeout(timer));
  held.use(onAbort(force, () => over.abort(force.reason)));
  held.use(onAbort(signal, () => {
    timer = setTimeout(() => over.abort(signal.reason), milliseconds);
  }));
  return { signal: over.signal, [Symbol.dispose]: () => held.dispose() };
}
