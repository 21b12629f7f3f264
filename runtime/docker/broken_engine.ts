/**
 * The error for an engine that does not do what its API says.
 *
 * @module
 */

import { MlcliError } from "../errors.ts";

/** The engine went away, does not answer, or not as its API says. */
export class BrokenEngine extends MlcliError {
  override readonly name = "BrokenEngine";
}

/** No connection can be made, or it breaks: the engine ended, or what leads to it. */
export class EngineGone extends BrokenEngine {
  /**
   * @param call method and path: `POST /containers/ID/start`
   * @param words what happened to the connection.
   */
  constructor(call: string, words: string, cause: unknown) {
    super(`The Docker Engine went away (${call}): ${words}`, {
      hint: "Is it still running? docker version tells. When it answers again, repeat the command.",
      cause,
    });
  }
}
