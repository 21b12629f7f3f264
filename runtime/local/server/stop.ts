import { isAgreed } from "../../agreement.ts";
import { type App, directoryMark, lookUp } from "../../app/app.ts";
import { isElsewhere } from "../../app/image.ts";
import type { Context, Interruption } from "../../context.ts";
import { STOP_SECONDS } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { BrokenEngine } from "../../docker/errors.ts";
import { MlcliError } from "../../errors.ts";
import { leftContainer } from "../container/create.ts";
import { stopContainer } from "../container/end.ts";
import type { Host } from "../jobs.ts";
import { removeUnpacked } from "./served_model.ts";
import { untilFree } from "../../serving/ports.ts";
import { asServer, requireServers, type Server, serversOn, takenBy, whoseText } from "./servers.ts";
import { isAbandoned } from "../../docker/abandoned.ts";

const GRACE = STOP_SECONDS.serve;

export interface StopRequest {
  readonly port: number;
  /** Only if the server is this app's; of any app when undefined. */
  readonly appName: string | undefined;
  /** Whether another directory's is meant, too. */
  readonly yes: boolean;
}

/**
 * The server on a port, and what is left of others of that app there. Where it is of another directory
 * than the current one, the user is asked whether it is meant.
 *
 * @throws MlcliError when there is none, or it is not meant.
 */
export async function serversToStop(
  { port, appName, yes }: StopRequest,
  host: Pick<Host, "engine" | "interruption"> & Pick<Context, "ask" | "cwd">,
): Promise<Found> {
  const { directory, names } = await lookUp(host.cwd, appName);
  const here = await directoryMark(directory);
  const engine = await host.engine();
  const servers = await requireServers(engine, port, appName, "stop", host.interruption.signal);
  const [server] = servers;
  // The name of an app that is not here means that one.
  const isNamed = appName !== undefined && names.length === 0;
  if (yes || isNamed || !isElsewhere(server.directory, here)) return servers;
  const whose = whoseText(server, here);
  if (await isAgreed(`Stop the server of ${whose}?`, host)) return servers;
  throw new MlcliError(`The server on port ${port} belongs to another directory's app: ${whose}`, {
    hint: `To stop it anyway: mlcli local stop --port ${port} --yes`,
  });
}

type Found = Awaited<ReturnType<typeof requireServers>>;

/**
 * Stops and removes the servers, and returns the first.
 *
 * @throws Interrupted if the user did not wait; then the server is gone, or a warning says that it might be
 * left.
 */
export async function stopServers(
  servers: Found,
  host: Pick<Host, "engine" | "interruption" | "messages">,
): Promise<Server> {
  const engine = await host.engine();
  const [server] = servers;
  const hurry = hurryOf(host.interruption);
  await Promise.all(servers.map(async (one) => {
    try {
      if (one.running) await stopContainer(engine, one.id, GRACE, hurry);
      await engine.removeContainer(one.id);
    } catch (error) {
      if (error instanceof BrokenEngine) host.messages.tell([leftContainer(one.name)]);
      throw error;
    }
  }));
  for (const one of servers) await removeUnpacked(one);
  // Who relays requests to it notices, and ends.
  if (server.isRelayed) await untilFree(server.port, hurry);
  hurry.throwIfAborted();
  return server;
}

/** Stops a server in the foreground: at once if the user interrupts again. */
export async function stopRunning(
  engine: Engine,
  { id }: Server,
  interruption: Interruption,
): Promise<void> {
  await stopContainer(engine, id, GRACE, hurryOf(interruption));
}

/** The user's next signal, while a server is being stopped. */
function hurryOf({ signal, force }: Interruption): AbortSignal {
  return signal.aborted ? force : signal;
}

/**
 * Servers on a port, of any app. Those whose mlcli was killed before it started them are removed: they
 * would keep the port for ever.
 */
export async function startedServersOn(
  engine: Engine,
  port: number,
  signal?: AbortSignal,
): Promise<readonly Server[]> {
  const remaining: Server[] = [];
  for (const container of await serversOn(engine, port, signal)) {
    const server = asServer(container);
    if (!await isAbandoned(container.summary)) {
      remaining.push(server);
      continue;
    }
    await engine.removeContainer(server.id);
    await removeUnpacked(server);
  }
  return remaining;
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
  for (const server of await startedServersOn(engine, port, signal)) {
    if (!server.ended) throw takenBy(server, app, mayReplace);
    await engine.removeContainer(server.id);
    await removeUnpacked(server);
  }
}
