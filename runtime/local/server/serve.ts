/**
 * `local deploy`: a server of the trained model on this machine.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { serverName } from "../container/managed.ts";
import type { Host, ServingJob } from "../jobs.ts";
import { releaseModel } from "../model/remains.ts";
import { onFreePort } from "./ports.ts";
import { clearPort } from "./clear_port.ts";
import type { Server } from "./servers.ts";
import {
  type Follow,
  type Place,
  type Start,
  type StartHost,
  startOf,
  startServer,
} from "./starting.ts";
import { MlcliError } from "../../errors.ts";
import { abortOf, deadlineIn, joinSignals } from "../../time.ts";
import { discardContainer } from "../container/create.ts";
import { statusAfterOutput } from "../container/end.ts";
import { endInWords } from "../../serving/ready.ts";
import { passLogOn } from "./logs.ts";
import { stopRunning } from "./stop.ts";

/**
 * Starts a server and returns once it answers. When it does not, or the user interrupts, nothing
 * of it is left.
 *
 * @param follow shows its log.
 * @throws MlcliError when the port is taken, the server ended or did not answer in time, and when
 * the layout, the image or the engine cannot be used.
 */
export async function serve(job: ServingJob, host: StartHost, follow?: Follow): Promise<Server> {
  const start = await startOf(job, host, follow);
  if (job.port !== 0) return await serveOn(start, job.port);
  return await onFreePort((port) => serveOn(start, port));
}

async function serveOn(start: Start, port: number): Promise<Server> {
  start.signal.throwIfAborted();
  await clearPort(start.engine, port, start.job.app, start.signal, true);
  return await startServer(start, placeOn(start.job, port));
}

/** Where the server of an app on a port is. */
export function placeOn({ app }: Pick<ServingJob, "app">, port: number): Place {
  return { name: serverName(app.name, port), port, published: port };
}

/** How long the last lines of a server that was ended may take to come, in seconds. */
const LAST_LINES = 5;

/**
 * Serves until the user interrupts, passing the server's log on from its first line. Whatever ends
 * this, the server is gone then, for example when nobody reads its log, or the disk is full.
 *
 * @param onReady called once the server answers.
 * @throws Interrupted when the user stopped it; MlcliError when the server ended by itself.
 */
export async function serveInForeground(
  job: ServingJob,
  host: Host,
  onReady: (server: Server) => Promise<void>,
): Promise<never> {
  const { signal, force } = host.interruption;
  const logFailure = new AbortController();
  const reading = new AbortController();
  let log: Promise<void> | undefined;
  function follow(engine: Engine, { id }: Server): Promise<void> {
    log = passLogOn(engine, id, { tail: "all", follow: true, signal: reading.signal }, host);
    log.catch((error) => logFailure.abort(error));
    return log;
  }
  try {
    using either = joinSignals(signal, logFailure.signal);
    const interruption = { signal: either.signal, force };
    const server = await serve(job, { ...host, interruption }, follow);
    return await attend(await host.engine(), server);
  } finally {
    // Of a server that did not start, only the log is left.
    await lastLines();
    reading.abort();
  }

  /** Stays with a server that answers, until it or the user ends. */
  async function attend(engine: Engine, server: Server): Promise<never> {
    try {
      const served = onReady(server).then(() => log);
      await Promise.race([served, abortOf(signal)]);
      throw await endedByItself(engine, server);
    } finally {
      // After that, its log comes to an end.
      const ending = signal.aborted
        ? stopRunning(engine, server, host.interruption)
        : engine.killContainer(server.id);
      // Where that failed, there are no last lines; the removal fails, too, and that is said.
      await ending.catch(() => reading.abort());
      await lastLines();
      await discardContainer(engine, server, host.err);
      await releaseModel(server, engine);
    }
  }

  /** Waits for the rest of the log, where it is being passed on. */
  async function lastLines(): Promise<void> {
    using deadline = deadlineIn(LAST_LINES);
    using enough = joinSignals(deadline.signal, force);
    await Promise.race([log, abortOf(enough.signal)]).catch(() => {});
  }
}

async function endedByItself(engine: Engine, server: Server): Promise<MlcliError> {
  const status = await statusAfterOutput(engine, server.id);
  const { words, hint } = await endInWords(engine, server.id, status);
  return new MlcliError(`The server ended: ${words}`, {
    hint: hint ?? "Its log is above.",
  });
}
