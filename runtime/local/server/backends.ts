/**
 * The containers behind a port that mlcli relays requests to: the one that serves now, and those
 * before it that still answer what they began.
 */

import { STREAM_SECONDS } from "../../contract/limits.ts";
import type { Engine } from "../../docker/engine.ts";
import { EngineError } from "../../docker/errors.ts";
import { joinSignals } from "../../time.ts";
import { discardContainer } from "../container/create.ts";
import type { Host } from "../jobs.ts";
import { removeUnpacked } from "./served_model.ts";
import type { Lease } from "./relay.ts";
import { findServers, type Server } from "./servers.ts";
import { stopRunning } from "./stop.ts";

export class Backend {
  readonly #idle = Promise.withResolvers<void>();
  #requests = 0;
  #isRetired = false;
  hasEnded = false;
  /** Whether the user was told so. */
  wasReported = false;

  /** @param published its port on this machine. */
  constructor(readonly server: Server, readonly published: number) {}

  lease(): Lease {
    this.#requests++;
    return {
      port: this.published,
      [Symbol.dispose]: () => {
        this.#requests--;
        this.#tell();
      },
    };
  }

  /** Resolves when its last request is answered; it gets no further ones. */
  async untilIdle(): Promise<void> {
    this.#isRetired = true;
    this.#tell();
    await this.#idle.promise;
  }

  #tell(): void {
    if (this.#isRetired && this.#requests === 0) this.#idle.resolve();
  }
}

/** Stops and removes a replaced container once it has answered everything. */
export async function retire(
  backend: Backend,
  host: Pick<Host, "engine" | "interruption" | "clock" | "messages">,
  ending: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  using either = joinSignals(over.signal, ending);
  // The longest that SageMaker gives an answer. `ending`: the server itself still answers them.
  const late = host.clock.pause(STREAM_SECONDS * 1000, either.signal).catch(() => {});
  await Promise.race([backend.untilIdle(), late]);
  over.abort();
  await stop(backend, host);
}

/** Stops and removes a container, which can finish its current responses. */
export async function stop(
  { server }: Pick<Backend, "server">,
  { engine: engineOf, interruption, messages }: Pick<
    Host,
    "engine" | "interruption" | "messages"
  >,
): Promise<void> {
  const engine = await engineOf();
  await stopRunning(engine, server, interruption).catch(() => {});
  await discardContainer(engine, server, messages);
  await removeUnpacked(server);
}

/**
 * Interval of checks whether an ended container is gone (ms), the number of quick checks, and the interval
 * after them (ms).
 */
const ASKED_EVERY = 100;
const ASKED_SOON = 20;
const ASKED_LATER = 1_000;

/**
 * Waits until another command removes a container, such as `local stop`.
 *
 * @param onEnd called if its program exited.
 * @throws the signal's reason; MlcliError if the engine does not respond.
 */
export async function untilRemoved(
  backend: Backend,
  host: Pick<Host, "engine" | "clock">,
  signal: AbortSignal,
  onEnd: (status: number) => Promise<void>,
): Promise<void> {
  const engine = await host.engine();
  const { id, port } = backend.server;
  const status = await endOf(id, engine, signal);
  backend.hasEnded = true;
  if (status === undefined) return;
  for (let asked = 1;; asked++) {
    signal.throwIfAborted();
    const isThere = (await findServers(engine, port, signal)).some((server) => server.id === id);
    if (!isThere) return;
    if (asked === ASKED_SOON && !backend.wasReported) {
      backend.wasReported = true;
      await onEnd(status);
    }
    await host.clock.pause(asked < ASKED_SOON ? ASKED_EVERY : ASKED_LATER, signal);
  }
}

/** The exit status of a container; undefined where it was removed before anybody waited for it. */
async function endOf(id: string, engine: Engine, signal: AbortSignal): Promise<number | undefined> {
  try {
    return await (await engine.wait(id, "not-running", signal)).status;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}
