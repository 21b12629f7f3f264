/**
 * What is wrong with a command line.
 *
 * @module
 */

import { UsageError } from "../runtime/errors.ts";

/**
 * An error whose hint is the command's help.
 *
 * @param path the names that lead to the command: `mlcli local train`.
 */
export function wrongUse(path: string, message: string): UsageError {
  return new UsageError(message, { hint: `${path} --help lists what it takes.` });
}
