/**
 * `local deploy`: a server of the trained model on this machine.
 *
 * @module
 */

import type { App } from "../../app/app.ts";
import type { Engine } from "../../docker/engine.ts";
import { serverName } from "../container/managed.ts";
import type { ServingJob } from "../jobs.ts";
import { releaseModel } from "../model/remains.ts";
import { onFreePort } from "./ports.ts";
import { remainingServers } from "./remaining.ts";
import { type Server, takenBy } from "./servers.ts";
import {
  type Follow,
  type Place,
  type Start,
  type StartHost,
  startOf,
  startServer,
} from "./starting.ts";

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

/**
 * Refuses a port that a server of mlcli has, also one that is being started, or is paused; removes
 * what is left of one that ended, or that its mlcli, killed, never started.
 *
 * @param app whose server is to have it.
 * @param signal ends the wait for the engine; its reason is thrown.
 * @param mayReplace whether that server may be replaced: that is said.
 * @throws PortInUse
 */
export async function clearPort(
  engine: Engine,
  port: number,
  app: App,
  signal: AbortSignal,
  mayReplace = false,
): Promise<void> {
  for (const server of await remainingServers(engine, port, signal)) {
    if (!server.ended) throw takenBy(server, app, mayReplace);
    await engine.removeContainer(server.id);
    await releaseModel(server, engine);
  }
}
