/**
 * `local stop`: ends a server that `local deploy` started.
 *
 * @module
 */

import type { Interruption } from "../../context.ts";
import { STOP_SECONDS } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { stopContainer } from "../container/stop.ts";
import type { Host } from "../jobs.ts";
import { releaseModel } from "../model/remains.ts";
import { requireServer, type Server } from "./servers.ts";

/** Seconds between SIGTERM and SIGKILL. */
const GRACE = STOP_SECONDS.serve;

/** Which server to stop. */
export interface StopRequest {
  /** Port on the host. */
  readonly port: number;
  /** Only if the server is this app's; of any app when undefined. */
  readonly appName: string | undefined;
}

/**
 * Stops and removes the server on a port.
 *
 * @throws MlcliError when there is none.
 * @throws Interrupted when the user did not want to wait for it; it is gone then, too.
 */
export async function stopServer(
  { port, appName }: StopRequest,
  host: Pick<Host, "engine" | "interruption">,
): Promise<Server> {
  const engine = await host.engine();
  const server = await requireServer(engine, port, appName);
  const hurry = hurryOf(host.interruption);
  if (server.running) await stopContainer(engine, server.id, GRACE, hurry);
  await engine.removeContainer(server.id);
  await releaseModel(server, engine);
  hurry.throwIfAborted();
  return server;
}

/** Stops a server that runs in the foreground: at once where the user interrupts that, too. */
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
