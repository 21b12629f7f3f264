/**
 * `mlcli local logs`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { serverOf } from "../options/app.ts";
import { options, type Values } from "../options/option.ts";
import { parseTail } from "../options/parsers.ts";
import { serverPort } from "../options/server.ts";

const OPTIONS = options({
  ...serverOf,
  ...serverPort,
  "--follow": {
    short: "-f",
    description: "Follow the log until the server ends.",
  },
  "--tail": {
    value: "lines",
    description: "How many of the last lines to show, or all.",
    default: "all",
    parse: parseTail,
  },
});

/** Options of `local logs`. */
export type LogsOptions = Values<typeof OPTIONS>;

/** Shows a server's log. */
export const logsCommand: Command = command({
  options: OPTIONS,
  examples: [[
    "Show the last 20 lines, and what is coming",
    "mlcli local logs --tail 20 --follow",
  ]],
  action: async () => (await import("./logs_action.ts")).logsAction,
});
