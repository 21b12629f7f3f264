import type { Engine } from "../../docker/engine.ts";
import { serverName } from "../container/managed.ts";
import type { Host, ServingJob } from "../jobs.ts";
import { removeUnpacked } from "./served_model.ts";
import { onFreePort } from "../../serving/ports.ts";
import { clearPort, stopRunning } from "./stop.ts";
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
import { abortOf, joinSignals } from "../../time.ts";
import { discardContainer } from "../container/create.ts";
import { endInWords, statusAfterOutput } from "../container/end.ts";
import { warnOfExpiry } from "../credentials.ts";
import { FollowedLogs } from "./logs.ts";

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

export function placeOn({ app }: Pick<ServingJob, "app">, port: number): Place {
  return { name: serverName(app.name, port), port, published: port };
}

/**
 * `local deploy --foreground`: serves until the user interrupts, passing the server's log on from its
 * first line. Whatever ends this, the server is gone then, for example when nobody reads its log, or the
 * disk is full.
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
  const logs = new FollowedLogs(host, (error) => logFailure.abort(error));
  let log: Promise<void> | undefined;
  try {
    using either = joinSignals(signal, logFailure.signal);
    const interruption = { signal: either.signal, force };
    const server = await serve(job, { ...host, interruption }, (engine, server) => {
      log = logs.follow(engine, server);
      return log;
    });
    return await attend(await host.engine(), server);
  } finally {
    // Of a server that did not start, only the log is left.
    await logs.lastLines(force);
    logs.close();
  }

  /** Stays with a server that answers, until it or the user ends. */
  async function attend(engine: Engine, server: Server): Promise<never> {
    const over = new AbortController();
    const renewal = "To renew them, press Ctrl-C and restart the server";
    warnOfExpiry(server.madeOf?.credentials, host, over.signal, renewal);
    try {
      const served = onReady(server).then(() => log);
      await Promise.race([served, abortOf(signal)]);
      const status = await statusAfterOutput(engine, server.id);
      throw await serverEnded(engine, server, status, "See its log above");
    } finally {
      over.abort();
      // After that, its log comes to an end.
      const ending = signal.aborted
        ? stopRunning(engine, server, host.interruption)
        : engine.killContainer(server.id);
      // If that failed, there are no last lines. The removal also fails, and mlcli reports it.
      await ending.catch(() => logs.close());
      await logs.lastLines(force);
      await discardContainer(engine, server, host.messages);
      await removeUnpacked(server);
    }
  }
}

export async function serverEnded(
  engine: Engine,
  { id }: Server,
  status: number,
  otherwise: string,
): Promise<MlcliError> {
  const { words, hint } = await endInWords(engine, id, status);
  return new MlcliError(`The server stopped unexpectedly: ${words}`, { hint: hint ?? otherwise });
}
