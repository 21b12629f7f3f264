/**
 * The error for what an engine refuses.
 *
 * @module
 */

import { MlcliError } from "../errors.ts";
import { remedyFor } from "./remedies.ts";

/** The engine answered with a status that the call does not expect. */
export class EngineError extends MlcliError {
  override readonly name = "EngineError";

  constructor(
    /** HTTP status of the answer. */
    readonly status: number,
    /** The engine's own words. */
    readonly reason: string,
    call: string,
  ) {
    super(`The Docker Engine refused (${call}: ${status}): ${reason}`, {
      hint: remedyFor(reason),
    });
  }
}
