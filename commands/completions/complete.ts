/**
 * `mlcli completions complete`, which the scripts call.
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  "<kind>": {},
  "[command...]": {},
});

/** Which kind of value, and the words of the command that takes it. */
export type CompleteOptions = Values<typeof OPTIONS>;

/** Answers a script. */
export const completeCommand: Command = command({
  options: OPTIONS,
  action: async () => (await import("./complete_action.ts")).completeAction,
});
