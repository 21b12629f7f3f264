/**
 * Stopping a container, and killing it when the user does not want to wait for that.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { onAbort } from "../../time.ts";
import { untilSilent } from "./vigil.ts";

/**
 * Stops a container: SIGTERM, and SIGKILL after the grace, or when the user is in a hurry.
 *
 * @param graceSeconds between the two signals.
 * @throws BrokenEngine when the engine went away, or does not answer meanwhile.
 */
export async function stopContainer(
  engine: Engine,
  id: string,
  graceSeconds: number,
  hurry: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const killed = Promise.withResolvers<void>();
  using _kill = onAbort(hurry, () => killed.resolve(engine.killContainer(id)));
  try {
    await Promise.race([
      engine.stopContainer(id, graceSeconds, over.signal),
      killed.promise,
      untilSilent(engine, id, over.signal),
    ]);
  } finally {
    over.abort();
  }
}

/** Kills a container when the signal is aborted. (What reads its output notices a failure.) */
export function killOnAbort(engine: Engine, id: string, signal: AbortSignal): Disposable {
  return onAbort(signal, () => void engine.killContainer(id).catch(() => {}));
}
