/**
 * `mlcli logs`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { thingName } from "../options/thing_name.ts";
import { options, type Values } from "../options/option.ts";
import { parseSince, parseTail } from "../options/parsers.ts";

const OPTIONS = options({
  ...thingName,
  "--follow": {
    short: "-f",
    description: "Stay, and show what it writes until the job ends, or the endpoint is gone.",
  },
  "--tail": {
    value: "lines",
    description: "Number of lines from the end, or all.",
    default: "all",
    parse: parseTail,
  },
  "--since": {
    value: "time",
    description: "Leave out what is older: 10m, 2h, 2026-03-01T09:30:00Z.",
    parse: parseSince,
  },
});

/** Options of `logs`. */
export type LogsOptions = Values<typeof OPTIONS>;

/** Shows the log of a job or an endpoint. */
export const logsCommand: Command = command({
  details: "The log goes to standard output. Where several machines write, each line begins with " +
    "its machine: of a job algo-1, of an endpoint VARIANT/INSTANCE. After Ctrl-C the job goes on.",
  options: OPTIONS,
  examples: [
    [
      "Show the last 20 lines, and what is coming",
      "mlcli logs churn-2026-03-01 --tail 20 --follow",
    ],
    ["What an endpoint wrote in the last hour", "mlcli logs churn --since 1h"],
  ],
  action: async () => (await import("./logs_action.ts")).logsAction,
});
