import type { App } from "../../app/app.ts";
import type { Engine } from "../../docker/engine.ts";
import { isAbandoned } from "../container/managed.ts";
import { releaseModel } from "../model/remains.ts";
import { asServer, type Server, serversOn, takenBy } from "./servers.ts";

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
    await releaseModel(server, engine);
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
    await releaseModel(server, engine);
  }
}
