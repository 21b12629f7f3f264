/**
 * The servers that mlcli started on this engine.
 *
 * @module
 */

import type { Engine } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";
import { managed, type ManagedServer } from "../container/managed.ts";
import { LABELS } from "../plan.ts";

/** A server's container, running or ended. */
export interface Server {
  readonly id: string;
  readonly name: string;
  readonly app: string;
  readonly port: number;
  readonly image: string;
  readonly running: boolean;
  /** Its program has ended: the container is there for its log alone. */
  readonly ended: boolean;
}

/** Servers on a port, of whatever app; or all of them. */
export async function findServers(
  engine: Engine,
  port?: number,
  signal?: AbortSignal,
): Promise<readonly Server[]> {
  const onPort = port === undefined ? LABELS.port : `${LABELS.port}=${port}`;
  const containers = await engine.listContainers([`${LABELS.role}=serve`, onPort], signal);
  return containers.map(managed).filter((container) => container?.role === "serve").map(asServer);
}

/**
 * The server on a port, running or ended.
 *
 * @param app only if it serves this app; of whatever app when undefined.
 * @throws MlcliError when there is none.
 */
export async function requireServer(
  engine: Engine,
  port: number,
  app: string | undefined,
  signal?: AbortSignal,
): Promise<Server> {
  const servers = await findServers(engine, undefined, signal);
  const candidates = servers.filter((server) =>
    server.port === port && (app === undefined || server.app === app)
  );
  const server = candidates.find((candidate) => candidate.running) ?? candidates[0];
  if (server === undefined) throw notFound(servers, port, app);
  return server;
}

function notFound(
  servers: readonly Server[],
  port: number,
  app: string | undefined,
): MlcliError {
  const others = servers.map((server) => `${server.app} on ${server.port}`);
  const owner = app === undefined ? "" : ` for ${app}`;
  return new MlcliError(`Container not found on port ${port}${owner}`, {
    hint: others.length === 0
      ? "No server of mlcli is running. mlcli local deploy starts one."
      : `Give the port of the deployment with --port. Servers of mlcli: ${others.join(", ")}.`,
  });
}

function asServer({ id, name, app, port, summary: { Image, State } }: ManagedServer): Server {
  return {
    id,
    name,
    app,
    port,
    image: Image,
    running: State === "running",
    ended: State === "exited" || State === "dead",
  };
}
