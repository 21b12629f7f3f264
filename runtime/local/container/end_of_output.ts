/**
 * Whether a container's output came to its end, or only the connection did that it came over: the
 * engine marks the one by closing the other.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";
import { abortOf } from "../../time.ts";

/** How long after its output a container may be said to run still, in ms: the engine is busy. */
const LAG = 5_000;

/**
 * Fails where the output ended before the container did; else waits until it is aborted. (A program
 * that closes its own streams does not end the output: 20.10.24.)
 */
export async function brokenOff(engine: Engine, id: string, over: AbortSignal): Promise<never> {
  // Asked before there is a timer: the first of a program takes Deno 2.9 ten milliseconds.
  if (!await engine.isRunning(id) || over.aborted) return await abortOf(over);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LAG);
    over.addEventListener("abort", () => clearTimeout(timer));
  });
  if (!await engine.isRunning(id)) return await abortOf(over);
  throw new MlcliError("The Docker Engine broke the container's output off", {
    hint: "The rest of it is lost. Is the engine still running? docker version asks it.",
  });
}

/**
 * The exit status of a container whose output has ended.
 *
 * @throws MlcliError when it runs still.
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
