/**
 * Ports of this machine. In SageMaker Studio, a server's container shares the network of the space:
 * its port cannot be published as another one, and the engine does not notice that it is taken.
 */

import { SERVER_PORT } from "../contract/jobs.ts";
import type { ImageDetails } from "../docker/images.ts";
import { MlcliError } from "../errors.ts";
import { BIND_LABEL, takesPort } from "../contract/images.ts";
import { EngineError } from "../docker/errors.ts";
import { pause } from "../time.ts";

/** A port of this machine that nobody listens on at this moment. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** What the system's refusal to let mlcli listen on a port means; others stay as they are. */
export function cannotListen(port: number, cause: unknown): unknown {
  if (cause instanceof Deno.errors.AddrInUse) return portInUse(port, undefined, cause);
  if (!(cause instanceof Deno.errors.PermissionDenied)) return cause;
  return new MlcliError(`Cannot listen on port ${port}: Permission denied`, {
    hint: "Choose another --port. Ports below 1024 are often reserved for the system.",
    cause,
  });
}

/** Whether somebody listens on a port of this machine. */
export function isTaken(port: number): boolean {
  try {
    // On all addresses, as servers in containers do.
    Deno.listen({ hostname: "0.0.0.0", port }).close();
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return true;
    throw error;
  }
}

/** @throws MlcliError where an image's server cannot listen on this port. */
export function requireTakesPort(image: ImageDetails, reference: string, port: number): void {
  if (port === SERVER_PORT || takesPort(image)) return;
  throw new MlcliError(`The server of ${reference} listens only on port ${SERVER_PORT}`, {
    hint:
      `In SageMaker Studio, use --port ${SERVER_PORT}, without --replace and --watch. If the server ` +
      "can listen on the port in SAGEMAKER_BIND_TO_PORT, add a label to the image: " +
      `LABEL ${BIND_LABEL}="true"`,
  });
}

/** How many free ports are tried, since another program may take one first. */
const FREE_PORT_ATTEMPTS = 5;

/**
 * Does something with a free port, and again with another one if somebody takes that first.
 *
 * @throws PortInUse after five times.
 */
export async function onFreePort<T>(work: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work(freePort());
    } catch (error) {
      if (!(error instanceof PortInUse) || attempt === FREE_PORT_ATTEMPTS) throw error;
    }
  }
}

/** How long, and how often, `untilFree` looks whether a port is free, in ms. */
const FREE_WITHIN = 5_000;
const ASKED_EVERY = 20;

/** Waits until nobody listens on a port: a few seconds at most, or until the user hurries. */
export async function untilFree(port: number, hurry: AbortSignal): Promise<void> {
  for (let waited = 0; waited < FREE_WITHIN && !hurry.aborted; waited += ASKED_EVERY) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch {
      return;
    }
    await pause(ASKED_EVERY, hurry).catch(() => {});
  }
}

/**
 * Whether the engine could not start a container since its port is taken.
 *
 * The engine answers 500 for a busy port, as for other failures, so its words are matched. In this
 * order: used by a container; by a process; Docker Desktop; Podman's machine; Podman.
 */
export function isPortTaken(error: unknown): error is EngineError {
  return error instanceof EngineError &&
    /port is already allocated|address already in use|ports are not available|proxy already running|bind: address/i
      .test(error.reason);
}

/** Returns the error for a port of `--publish` that is taken; other errors are returned as they are. */
export function cannotPublish(error: unknown): unknown {
  // The engines name the address that they cannot bind.
  const [, port] = isPortTaken(error) ? /127\.0\.0\.1:(\d{1,5})/.exec(error.reason) ?? [] : [];
  if (port === undefined) return error;
  return new PortInUse(`Port already in use: ${port}`, {
    hint: "Stop the program that uses the port, or choose another host port, such as " +
      "--publish 5679:5678",
    cause: error,
  });
}

/** Another server or program has the port. */
export class PortInUse extends MlcliError {
  override readonly name = "PortInUse";
}

/**
 * @param whose server has it, if one of mlcli's has.
 * @param more what follows the command that stops that.
 */
export function portInUse(port: number, whose?: string, cause?: unknown, more = ""): PortInUse {
  const owner = whose === undefined ? "" : ` (by the server of ${whose})`;
  const stop = whose === undefined
    ? "Stop the program that uses it"
    : `Stop the server with mlcli local stop --port ${port}${more}`;
  return new PortInUse(`Port already in use: ${port}${owner}`, {
    hint: `${stop}, or choose another --port (0 picks a free one)`,
    cause,
  });
}
