/**
 * The error for an engine that does not do what its API says.
 *
 * @module
 */

import { MlcliError } from "../errors.ts";

/** The engine does not answer, or not to the end, or not as its API says. */
export class BrokenEngine extends MlcliError {
  override readonly name = "BrokenEngine";
}
