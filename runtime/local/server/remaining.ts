/**
 * The servers on a port once those are gone that will never begin.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { isAbandoned } from "../container/abandoned.ts";
import { releaseModel } from "../model/remains.ts";
import { asServer, type Server, serversOn } from "./servers.ts";

/**
 * Servers on a port, of any app. Those whose mlcli was killed before it started them are removed: they
 * would keep the port for ever.
 */
export async function remainingServers(
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
