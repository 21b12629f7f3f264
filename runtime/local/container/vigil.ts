/**
 * Watching over a container that was told to end: its output, and the engine's word that it is gone,
 * have no time limit of their own.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { SilentEngine } from "../../docker/patience.ts";
import { BrokenEngine } from "../../docker/broken_engine.ts";
import { CLOCK, type Clock } from "../../time.ts";

/** Between two questions, in seconds. */
const INTERVAL = 2;

/** How long an engine may still report on a container that does not run any more, in seconds. */
const LAG = 30;

/** What is watched besides the engine. */
export interface Vigil {
  /** Whether it is mlcli that has not come to the end of the output: its reader is slow. */
  readonly isHeldUp?: () => boolean;
  readonly clock?: Pick<Clock, "pause">;
}

/**
 * Fails when the engine does not answer any more, or leaves the end of a container untold.
 *
 * @param over ends it; its reason is thrown.
 * @throws BrokenEngine
 */
export async function untilSilent(
  engine: Pick<Engine, "isRunning">,
  id: string,
  over: AbortSignal,
  { isHeldUp = () => false, clock = CLOCK }: Vigil = {},
): Promise<never> {
  for (let ended = 0; ended < LAG;) {
    await clock.pause(INTERVAL * 1000, over);
    const isRunning = await engine.isRunning(id).catch((error) => {
      if (error instanceof BrokenEngine) throw error;
      return false;
    });
    ended = isRunning || isHeldUp() ? 0 : ended + INTERVAL;
  }
  throw new SilentEngine("the end of a container", LAG);
}
