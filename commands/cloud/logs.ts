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
    description: "Follow the log until the job ends or the endpoint is deleted.",
  },
  "--tail": {
    value: "lines",
    description: "How many of the last lines to show, or all.",
    default: "all",
    parse: parseTail,
  },
  "--since": {
    value: "time",
    description: "Show only what is newer: 10m, 2h, 2026-03-01T09:30Z, 2026-03-01 (local time).",
    parse: parseSince,
  },
});

/** Options of `logs`. */
export type LogsOptions = Values<typeof OPTIONS>;

/** Shows the log of a job or an endpoint. */
export const logsCommand: Command = command({
  details:
    "The log goes to standard output. With several machines, each line begins with the name " +
    "of its machine: algo-1 for a job, VARIANT/INSTANCE for an endpoint. After Ctrl-C, the job " +
    "goes on.",
  options: OPTIONS,
  examples: [
    [
      "Show the last 20 lines, and follow the log",
      "mlcli logs churn-2026-03-01 --tail 20 --follow",
    ],
    ["Show what an endpoint wrote in the last hour", "mlcli logs churn --since 1h"],
  ],
  action: async () => (await import("./logs_action.ts")).logsAction,
});
