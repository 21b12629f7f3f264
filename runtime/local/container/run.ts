/**
 * Runs a container to its end: its output comes through while it runs, and when this returns the
 * container is gone, whatever happened.
 *
 * @module
 */

import type { Interruption } from "../../context.ts";
import type { Output } from "../../streams.ts";
import type { CreateBody, Engine } from "../../docker/engine.ts";
import { demultiplex } from "../../docker/frames.ts";
import { OutputClosed } from "../../errors.ts";
import { abortOf } from "../../time.ts";
import { createContainer, discardContainer, startContainer, withInitIfThere } from "./create.ts";
import { brokenOff } from "./end_of_output.ts";
import { type End, endInWords } from "./exit_status.ts";
import { PrivilegeWatch } from "./privileges.ts";

/** Seconds between SIGTERM and SIGKILL: what `docker stop` gives. The platform gives 120. */
const GRACE = 10;

/** Where a run's output goes, and who may stop it. */
export interface RunConsole {
  readonly out: Output;
  readonly err: Output;
  readonly interruption: Interruption;
}

/** How a run ended. */
export interface RunOutcome extends End {
  /** Exit status of the container's program. */
  readonly status: number;
}

/**
 * Creates the container, runs it, passes its output on byte for byte, and waits until the engine
 * has removed it.
 *
 * @param body has `AutoRemove`.
 * @throws Interrupted when the user stopped the run: SIGTERM, a grace period, SIGKILL.
 * @throws OutputClosed when nobody reads the output any more; the run is stopped then.
 */
export async function runToEnd(
  engine: Engine,
  name: string,
  body: CreateBody,
  console: RunConsole,
): Promise<RunOutcome> {
  const planned = engine.remembersExitStatus ? body : withoutAutoRemove(body);
  return await withInitIfThere(planned, (body) => runOnce(engine, name, body, console));
}

async function runOnce(
  engine: Engine,
  name: string,
  body: CreateBody,
  console: RunConsole,
): Promise<RunOutcome> {
  const { signal } = console.interruption;
  signal.throwIfAborted();
  const id = await createContainer(engine, name, body);
  const waiting = new AbortController();
  let removed = false;
  try {
    signal.throwIfAborted();
    // Both before the start, so that neither a byte nor a fast end is missed.
    const [output, removal] = await Promise.race([
      Promise.all([
        engine.attach(id, waiting.signal),
        body.HostConfig.AutoRemove ? engine.wait(id, "removed", waiting.signal) : undefined,
      ]),
      abortOf(signal),
    ]);
    signal.throwIfAborted();
    await startContainer(engine, id, body);
    using _stop = stopOnInterruption(engine, id, console.interruption);
    const watch = new PrivilegeWatch();
    const closed = await passOn(output, console, watch, () => engine.stopContainer(id, GRACE));
    const end = removal ?? await engine.wait(id, "not-running", waiting.signal);
    const status = await Promise.race([end.status, brokenOff(engine, id, waiting.signal)]);
    removed = removal !== undefined;
    signal.throwIfAborted();
    if (closed) throw closed;
    const { words, hint } = await endInWords(engine, id, status);
    return { status, words, hint: hint ?? watch.hint };
  } finally {
    waiting.abort();
    if (!removed) await discardContainer(engine, id);
  }
}

/**
 * For an engine that forgets the exit status with the container: it stays until its status was
 * read. (Should mlcli be killed meanwhile, the app's next run removes it.)
 */
function withoutAutoRemove(body: CreateBody): CreateBody {
  return { ...body, HostConfig: { ...body.HostConfig, AutoRemove: false } };
}

/** Stops the container at the first signal, and kills it at the second. */
function stopOnInterruption(
  engine: Engine,
  id: string,
  { signal, force }: Interruption,
): Disposable {
  // A failure means that the engine went away: the streams that are being read say so.
  const stop = (): void => void engine.stopContainer(id, GRACE).catch(() => {});
  const kill = (): void => void engine.killContainer(id).catch(() => {});
  signal.addEventListener("abort", stop);
  force.addEventListener("abort", kill);
  if (signal.aborted) stop();
  if (force.aborted) kill();
  return {
    [Symbol.dispose](): void {
      signal.removeEventListener("abort", stop);
      force.removeEventListener("abort", kill);
    },
  };
}

/**
 * Writes the output where it was meant to go, to its end; a slow reader slows the container down.
 * When nobody reads any more, stops the container and returns the error that said so.
 */
async function passOn(
  output: AsyncIterable<Uint8Array>,
  { out, err, interruption: { force } }: RunConsole,
  watch: PrivilegeWatch,
  stop: () => Promise<void>,
): Promise<OutputClosed | undefined> {
  const forced = new Promise<void>((resolve) =>
    force.addEventListener("abort", () => resolve(), { once: true })
  );
  let closed: OutputClosed | undefined;
  for await (const { stream, bytes } of demultiplex(output)) {
    // What it still writes while it is being stopped, or killed with nobody reading.
    if (closed || force.aborted) continue;
    if (stream === "stderr") watch.hear(bytes);
    try {
      await Promise.race([(stream === "stdout" ? out : err).write(bytes), forced]);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      closed = error;
      stop().catch(() => {});
    }
  }
  return closed;
}
