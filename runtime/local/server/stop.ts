/**
 * `local stop`: ends a server that `local deploy` started.
 *
 * @module
 */

import type { Interruption } from "../../context.ts";
import type { Engine } from "../../docker/engine.ts";
import { requireServer, type Server } from "./servers.ts";

/** Seconds between SIGTERM and SIGKILL: what the platform gives a server. */
const GRACE = 30;

/**
 * Stops and removes the server on a port.
 *
 * @param app only if it serves this app; of whatever app when undefined.
 * @throws MlcliError when there is none.
 */
export async function stopServer(
  engine: Engine,
  port: number,
  app: string | undefined,
  interruption: Interruption,
): Promise<Server> {
  const server = await requireServer(engine, port, app);
  await endServer(engine, server, interruption);
  return server;
}

/**
 * Stops and removes a server.
 *
 * @throws Interrupted when the user did not want to wait for it; it is gone then, too.
 */
async function endServer(
  engine: Engine,
  server: Server,
  interruption: Pick<Interruption, "signal" | "force">,
): Promise<void> {
  const { signal, force } = interruption;
  const hurry = signal.aborted ? force : signal;
  if (server.running) await stopRunning(engine, server, interruption);
  await engine.removeContainer(server.id);
  hurry.throwIfAborted();
}

/** Stops a server: at once where the user interrupts the waiting for it, too. */
export async function stopRunning(
  engine: Engine,
  { id }: Server,
  { signal, force }: Pick<Interruption, "signal" | "force">,
): Promise<void> {
  const hurry = signal.aborted ? force : signal;
  const kill = (): void => void engine.killContainer(id).catch(() => {});
  hurry.addEventListener("abort", kill);
  if (hurry.aborted) kill();
  try {
    await engine.stopContainer(id, GRACE);
  } finally {
    hurry.removeEventListener("abort", kill);
  }
}
