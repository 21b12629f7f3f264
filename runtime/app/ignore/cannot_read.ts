/**
 * What a build says about a file that it cannot read.
 *
 * @module
 */

import { fileErrorReason, MlcliError } from "../../errors.ts";
import { IGNORE_FILE } from "./ignore_rules.ts";

/** The error for a part of the context that cannot be read. */
export function cannotRead(shown: string, cause: unknown): MlcliError {
  return new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, {
    hint: `Make it readable, or leave it out with a line in ${IGNORE_FILE}.`,
    cause,
  });
}
