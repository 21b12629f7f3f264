/**
 * `local stop`: ends a server that `local deploy` started.
 *
 * @module
 */

import type { Interruption } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { MlcliError } from "../errors.ts";
import { findServers, type Server } from "./servers.ts";

/** Seconds between SIGTERM and SIGKILL: what the platform gives a server. */
const GRACE = 30;

/**
 * Stops and removes the server on a port.
 *
 * @param app only if it serves this app; of whatever app when undefined.
 * @throws MlcliError of kind `container` when there is none.
 */
export async function stopServer(
  engine: Engine,
  port: number,
  app: string | undefined,
  interruption: Interruption,
): Promise<Server> {
  const servers = await findServers(engine, port);
  const server = servers.find((candidate) => app === undefined || candidate.app === app);
  if (server === undefined) throw await notFound(engine, port, app);
  await endServer(engine, server, interruption);
  return server;
}

/**
 * Stops and removes a server.
 *
 * @throws Interrupted when the user did not want to wait for it; it is gone then, too.
 */
export async function endServer(
  engine: Engine,
  server: Server,
  { signal, force }: Pick<Interruption, "signal" | "force">,
): Promise<void> {
  const hurry = signal.aborted ? force : signal;
  const kill = (): void => void engine.killContainer(server.id).catch(() => {});
  hurry.addEventListener("abort", kill);
  try {
    if (server.running) await engine.stopContainer(server.id, GRACE);
    await engine.removeContainer(server.id);
  } finally {
    hurry.removeEventListener("abort", kill);
  }
  hurry.throwIfAborted();
}

async function notFound(
  engine: Engine,
  port: number,
  app: string | undefined,
): Promise<MlcliError> {
  const running = (await findServers(engine)).map((server) => `${server.app} on ${server.port}`);
  const owner = app === undefined ? "" : ` for ${app}`;
  return new MlcliError("container", `Container not found on port ${port}${owner}`, {
    hint: running.length === 0
      ? "No server of mlcli is running: it was stopped already, or never deployed."
      : `Give the port of the deployment with --port. Servers of mlcli: ${running.join(", ")}.`,
  });
}
