/** Waiting for an engine that is being started. */

import { connectToEngine } from "../../runtime/docker/connect.ts";
import type { Engine } from "../../runtime/docker/engine.ts";
import type { SearchEnvironment } from "../../runtime/docker/locate.ts";
import { messageOf } from "../../runtime/errors.ts";
import { pause, timeText } from "../script.ts";

/** In ms. */
const POLL_INTERVAL = 50;

/** An engine that is being started. */
export interface StartingEngine {
  /** The environment in which `connectToEngine` finds it. */
  readonly env: SearchEnvironment["env"];
  /** Longest time until it answers, in milliseconds. */
  readonly timeout: number;
  /** How it ended, if it has: then waiting is of no use. */
  readonly ending: () => Promise<string | undefined>;
  /**
   * The error to throw.
   * @param what `ended with 1`, `does not answer after 60.0 s`
   * @param reason what the last attempt to reach it met.
   */
  readonly failure: (what: string, reason: string) => Promise<Error>;
}

/** Returns the engine once it answers; the caller closes it. */
export async function untilItAnswers(
  { env, timeout, ending, failure }: StartingEngine,
  signal: AbortSignal,
): Promise<Engine> {
  const deadline = performance.now() + timeout;
  let reason = "";
  while (performance.now() < deadline) {
    try {
      return await connectToEngine({ env }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      reason = messageOf(error);
    }
    const ended = await ending();
    if (ended !== undefined) throw await failure(ended, reason);
    await pause(POLL_INTERVAL);
  }
  throw await failure(`does not answer after ${timeText(timeout)}`, reason);
}
