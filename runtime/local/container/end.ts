import { type End, endOf } from "../../contract/outcome.ts";
import type { Engine, Waited } from "../../docker/engine.ts";
import { abortOf, CLOCK, type Clock, onAbort, pause } from "../../time.ts";
import { MlcliError } from "../../errors.ts";
import { SilentEngine } from "../../docker/time_limits.ts";
import { BrokenEngine } from "../../docker/errors.ts";

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
      failIfNeverEnds(engine, id, over.signal),
    ]);
  } finally {
    over.abort();
  }
}

/** Kills a container when the signal is aborted. (What reads its output notices a failure.) */
export function killOnAbort(engine: Engine, id: string, signal: AbortSignal): Disposable {
  return onAbort(signal, () => void engine.killContainer(id).catch(() => {}));
}

/** How long after its output a busy engine may still report a container as running, in ms. */
const OUTPUT_LAG = 5_000;

/**
 * Fails where the output ended before the container did; else waits until it is aborted. (A program
 * that closes its own streams does not end the output: Docker 20.10.24.)
 */
export async function failIfStillRunning(
  engine: Engine,
  id: string,
  over: AbortSignal,
): Promise<never> {
  // Asked before there is a timer: the first of a program takes Deno 2.9 ten milliseconds.
  if (!await engine.isRunning(id)) return await abortOf(over);
  await pause(OUTPUT_LAG, over);
  if (!await engine.isRunning(id)) return await abortOf(over);
  throw new MlcliError(
    "Cannot read the container's output from the Docker Engine: the output ended early",
    {
      hint: "Check that the Docker Engine is running: docker version",
    },
  );
}

/**
 * The exit status of a container whose output has ended.
 *
 * @param signal ends the waiting.
 * @param exit where the engine waits for its end already.
 * @throws MlcliError when it still runs.
 */
export async function statusAfterOutput(
  engine: Engine,
  id: string,
  signal?: AbortSignal,
  exit?: Waited,
): Promise<number> {
  const over = new AbortController();
  using _end = signal && onAbort(signal, () => over.abort(signal.reason));
  try {
    const end = exit ?? await engine.wait(id, "not-running", over.signal);
    return await Promise.race([end.status, failIfStillRunning(engine, id, over.signal)]);
  } finally {
    over.abort();
  }
}

/** Between two questions of `failIfNeverEnds`, in seconds. */
const INTERVAL = 2;

/** How long an engine may still report on a container that does not run any more, in seconds. */
const END_LAG = 30;

/**
 * Watches a container that was told to end: its output, and the engine's word that it is gone, have no
 * time limit of their own. Fails when the engine does not answer any more, or does not tell the end.
 *
 * @param over ends it; its reason is thrown.
 * @param isHeldUp whether it is mlcli that has not come to the end of the output: its reader is slow.
 * @throws BrokenEngine
 */
export async function failIfNeverEnds(
  engine: Pick<Engine, "isRunning">,
  id: string,
  over: AbortSignal,
  isHeldUp = () => false,
  clock: Pick<Clock, "pause"> = CLOCK,
): Promise<never> {
  for (let ended = 0; ended < END_LAG;) {
    await clock.pause(INTERVAL * 1000, over);
    const isRunning = await engine.isRunning(id).catch((error) => {
      if (error instanceof BrokenEngine) throw error;
      return false;
    });
    ended = isRunning || isHeldUp() ? 0 : ended + INTERVAL;
  }
  throw new SilentEngine("waiting for the container to exit", END_LAG);
}

/** How a container's program ended, and whether it ran out of memory, if the engine knows. */
export async function endInWords(engine: Engine, id: string, status: number): Promise<End> {
  // The exit status must be shown also where this is not known.
  const outOfMemory = status !== 0 && await engine.ranOutOfMemory(id).catch(() => false);
  return endOf(status, outOfMemory);
}
