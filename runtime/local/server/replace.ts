/**
 * `local deploy --replace`: a new server in the place of the one that is on a port.
 *
 * A container's port cannot be changed. So the new server proves itself on a free port first, and
 * is started once more when the old one has made room: it has the code, the model and the image that
 * have just served.
 */

import type { Engine } from "../../docker/engine.ts";
import { messageOf } from "../../errors.ts";
import type { Clock } from "../../time.ts";
import { discardContainer } from "../container/create.ts";
import { spareName } from "../container/managed.ts";
import type { Host, ServingJob } from "../jobs.ts";
import { removeUnpacked } from "./served_model.ts";
import { onFreePort } from "../../serving/ports.ts";
import { placeOn, serve } from "./serve.ts";
import { startedServersOn, stopRunning } from "./stop.ts";
import { isReplaceable, type Server, takenBy } from "./servers.ts";
import { type Start, type StartHost, startOf, startServer } from "./starting.ts";

export type ReplaceHost = StartHost & { readonly clock: Clock };

export interface Replacement {
  readonly server: Server;
  /** How long nobody answered on the port, in seconds; undefined where there was no server. */
  readonly pause: number | undefined;
}

/**
 * Replaces the app's server on a port, or starts one. Until the new server has responded, the old one serves.
 * If the new server then fails on the port, restarts the old one.
 *
 * @throws PortInUse if another server has the port: another app's or directory's server, one of `local deploy
 * --watch`, or one that is not running; MlcliError as `serve`.
 */
export async function replaceServer(job: ServingJob, host: ReplaceHost): Promise<Replacement> {
  const old = job.port === 0 ? undefined : await serverToReplace(job, await host.engine());
  if (old === undefined) return { server: await serve(job, host), pause: undefined };
  const start = await startOf(job, host);
  try {
    await onFreePort((port) => tryOn(start, port));
  } catch (error) {
    host.messages.note("The previous server keeps running");
    throw error;
  }
  return await takePlace(start, old, host);
}

async function serverToReplace(
  { app, port }: ServingJob,
  engine: Engine,
): Promise<Server | undefined> {
  const servers = (await startedServersOn(engine, port)).filter(({ ended }) => !ended);
  const [old, ...others] = servers;
  if (old === undefined) return undefined;
  if (!isReplaceable(old, app) || others.length > 0) throw takenBy(old, app);
  return old;
}

/** Has a server prove itself on a free port. Nothing of it is left. */
async function tryOn(start: Start, port: number): Promise<void> {
  const trial = await startServer(start, placeOn(start.job, port));
  await discardContainer(start.engine, trial, start.messages);
  await removeUnpacked(trial);
}

async function takePlace(
  start: Start,
  old: Server,
  { interruption, clock, messages }: ReplaceHost,
): Promise<Replacement> {
  const { engine, job } = start;
  const place = placeOn(job, old.port);
  // The new server gets this name, and its container must exist before the old server stops.
  const spare = { id: old.id, name: spareName(job.app.name, old.port) };
  await engine.renameContainer(spare.id, spare.name);
  let stoppedAt: number | undefined;
  const takeOver = async (): Promise<void> => {
    // A second time if the first start has shown that the engine has no init process.
    if (stoppedAt !== undefined) return;
    stoppedAt = clock.now();
    await stopRunning(engine, old, interruption);
  };
  let server: Server;
  try {
    server = await startServer(start, place, takeOver);
  } catch (error) {
    await engine.renameContainer(old.id, place.name).catch(() => {});
    if (stoppedAt !== undefined) await startAgain(engine, old, messages);
    throw error;
  }
  const pause = (clock.now() - stoppedAt!) / 1000;
  // The new server serves, even if the old one cannot be removed.
  await discardContainer(engine, spare, messages);
  await removeUnpacked(old);
  return { server, pause };
}

/** Restarts the old server. A failure here matters less than the first error, which is also reported. */
async function startAgain(
  engine: Engine,
  { id, port }: Server,
  messages: Host["messages"],
): Promise<void> {
  try {
    await engine.startContainer(id);
    messages.note("Restarted the previous server");
  } catch (error) {
    messages.warning(
      `Cannot restart the previous server: ${messageOf(error)}`,
      `Start a new one: mlcli local deploy --port ${port}`,
    );
  }
}
