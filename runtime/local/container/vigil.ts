/**
 * Watching over a container that was told to end: its output, and the engine's word that it is gone,
 * have no time limit of their own.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { SilentEngine } from "../../docker/patience.ts";
import { BrokenEngine } from "../../docker/broken_engine.ts";
import { pause } from "../../time.ts";

/** Between two questions, in seconds. */
const INTERVAL = 2;

/** How long an engine may still report on a container that does not run any more, in seconds. */
const LAG = 30;

/**
 * Fails when the engine does not answer any more, or leaves the end of a container untold.
 *
 * @param over ends it; its reason is thrown.
 * @throws BrokenEngine
 */
export async function untilSilent(engine: Engine, id: string, over: AbortSignal): Promise<never> {
  for (let ended = 0; ended < LAG;) {
    await pause(INTERVAL * 1000, over);
    const isRunning = await engine.isRunning(id).catch((error) => {
      if (error instanceof BrokenEngine) throw error;
      return false;
    });
    ended = isRunning ? 0 : ended + INTERVAL;
  }
  throw new SilentEngine("the end of a container", LAG);
}
