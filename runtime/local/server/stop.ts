/**
 * `local stop`: ends a server that `local deploy` started.
 *
 * @module
 */

import type { Interruption } from "../../context.ts";
import { STOP_SECONDS } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { BrokenEngine } from "../../docker/broken_engine.ts";
import { tell } from "../../message.ts";
import { leftText } from "../container/create.ts";
import { stopContainer } from "../container/stop.ts";
import type { Host } from "../jobs.ts";
import { releaseModel } from "../model/remains.ts";
import { untilFree } from "./ports.ts";
import { requireServers, type Server } from "./servers.ts";

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
 * @throws Interrupted when the user did not want to wait for it; it is gone then, too, or it is said
 * that it may be left.
 */
export async function stopServer(
  { port, appName }: StopRequest,
  host: Pick<Host, "engine" | "interruption" | "err">,
): Promise<Server> {
  const engine = await host.engine();
  const servers = await requireServers(engine, port, appName, host.interruption.signal);
  const [server] = servers;
  const hurry = hurryOf(host.interruption);
  await Promise.all(servers.map(async (one) => {
    try {
      if (one.running) await stopContainer(engine, one.id, GRACE, hurry);
      await engine.removeContainer(one.id);
    } catch (error) {
      if (error instanceof BrokenEngine) tell(host.err, leftText(one.name));
      throw error;
    }
  }));
  for (const one of servers) await releaseModel(one, engine);
  // Who relays requests to it notices, and ends.
  if (server.isRelayed) await untilFree(port, hurry);
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
