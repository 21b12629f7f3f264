/**
 * What `mlcli completions complete` does.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { answerCompletion } from "../cliffy/completions.ts";
import type { Call } from "../command.ts";
import type { CompleteOptions } from "./complete.ts";

/** Prints the values that there are. */
export async function completeAction(
  context: Context,
  { kind, command }: CompleteOptions,
  { root }: Call,
): Promise<void> {
  await answerCompletion([kind, ...command], root, context);
}
