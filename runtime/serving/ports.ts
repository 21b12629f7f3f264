/**
 * Ports of this machine. In SageMaker Studio, a server's container has the space's own: nothing
 * publishes its port as another one, and the engine does not notice when somebody has it.
 *
 * @module
 */

import { SERVER_PORT } from "../contract/jobs.ts";
import type { ImageDetails } from "../docker/engine.ts";
import { MlcliError } from "../errors.ts";
import { BIND_LABEL, takesPort } from "../contract/images.ts";

/** A port of this machine that nobody listens on at this moment. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
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

/** @throws MlcliError where an image's server is on another port than this one, whatever it is told. */
export function requireTakesPort(image: ImageDetails, reference: string, port: number): void {
  if (port === SERVER_PORT || takesPort(image)) return;
  throw new MlcliError(`The server of ${reference} listens on port ${SERVER_PORT} alone`, {
    hint:
      `In SageMaker Studio, that is a port of the space itself: --port ${SERVER_PORT}, without ` +
      "--replace and --watch, which need a second one. An image whose server listens on the port " +
      `of SAGEMAKER_BIND_TO_PORT says so: LABEL ${BIND_LABEL}="true"`,
  });
}
