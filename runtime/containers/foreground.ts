/**
 * `local deploy --foreground`: a server that lasts as long as mlcli does.
 *
 * @module
 */

import type { Engine } from "../docker/engine.ts";
import { MlcliError } from "../errors.ts";
import { abortOf } from "./abort.ts";
import { discardContainer } from "./create.ts";
import { endInWords } from "./exit_status.ts";
import { passLogOn } from "./logs.ts";
import type { RunConsole } from "./run.ts";
import { serve, type ServeRequest } from "./serve.ts";
import type { Server } from "./servers.ts";
import { endServer } from "./stop.ts";

/**
 * Serves until the user interrupts, passing the server's log on from its first line.
 *
 * @param onReady called once the server answers.
 * @throws Interrupted when the user stopped it; MlcliError when the server ended by itself.
 */
export async function serveInForeground(
  request: ServeRequest,
  console: RunConsole,
  onReady: (server: Server) => void,
): Promise<never> {
  let log: Promise<void> | undefined;
  const reading = new AbortController();
  const server = await serve({
    ...request,
    onStart(engine, { id }): void {
      log = passLogOn(engine, id, { tail: "all", follow: true, signal: reading.signal }, console);
      log.catch(() => {}); // it is awaited below; until then, nothing is lost
    },
  });
  const engine = await request.engine();
  const { signal } = request.interruption;
  try {
    onReady(server);
    await Promise.race([log, abortOf(signal)]);
    throw await endedByItself(engine, server);
  } catch (error) {
    if (signal.aborted) await endServer(engine, server, request.interruption);
    throw error;
  } finally {
    reading.abort();
    await log?.catch(() => {});
    await discardContainer(engine, server.id);
  }
}

async function endedByItself(engine: Engine, server: Server): Promise<MlcliError> {
  const waited = await engine.wait(server.id, "not-running", AbortSignal.timeout(10_000));
  const { words, hint } = await endInWords(engine, server.id, await waited.status);
  return new MlcliError("container", `The server ended: ${words}`, {
    hint: hint ?? "Its log is above.",
  });
}
