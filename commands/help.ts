/**
 * `mlcli help`
 *
 * @module
 */

import { type Command, command } from "./command.ts";
import { options, type Values } from "./options/option.ts";

const OPTIONS = options({ "[command...]": {} });

/** Options of `help`. */
export type HelpOptions = Values<typeof OPTIONS>;

/** Shows the help of a command. */
export const helpCommand: Command = command({
  options: OPTIONS,
  examples: [["See the options of mlcli local train", "mlcli help local train"]],
  action: async () => (await import("./help_action.ts")).helpAction,
});
