/**
 * Whether a container's output has ended, or only the connection that carries it: the engine marks
 * the end of the output by closing the connection.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";
import { abortOf, pause } from "../../time.ts";

/** How long after its output a busy engine may still report a container as running, in ms. */
const LAG = 5_000;

/**
 * Fails where the output ended before the container did; else waits until it is aborted. (A program
 * that closes its own streams does not end the output: Docker 20.10.24.)
 */
export async function brokenOff(engine: Engine, id: string, over: AbortSignal): Promise<never> {
  // Asked before there is a timer: the first of a program takes Deno 2.9 ten milliseconds.
  if (!await engine.isRunning(id)) return await abortOf(over);
  await pause(LAG, over);
  if (!await engine.isRunning(id)) return await abortOf(over);
  throw new MlcliError("The Docker Engine broke the container's output off", {
    hint: "The rest of it is lost. Is the engine still running? docker version tells.",
  });
}

/**
 * The exit status of a container whose output has ended.
 *
 * @throws MlcliError when it still runs.
 */
export async function statusAfterOutput(engine: Engine, id: string): Promise<number> {
  const over = new AbortController();
  try {
    const end = await engine.wait(id, "not-running", over.signal);
    return await Promise.race([end.status, brokenOff(engine, id, over.signal)]);
  } finally {
    over.abort();
  }
}
