/**
 * `mlcli logs`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { jobName } from "../options/job_name.ts";
import { options, type Values } from "../options/option.ts";
import { parseSince, parseTail } from "../options/parsers.ts";

const OPTIONS = options({
  ...jobName,
  "--follow": {
    short: "-f",
    description: "Stay, and show what the job writes until it ends.",
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

/** Shows a job's log. */
export const logsCommand: Command = command({
  details: "The log goes to standard output; the lines of a job with several machines begin with " +
    "the machine's name, algo-1. After Ctrl-C the job goes on.",
  options: OPTIONS,
  examples: [
    [
      "Show the last 20 lines, and what is coming",
      "mlcli logs churn-2026-03-01 --tail 20 --follow",
    ],
  ],
  action: async () => (await import("./logs_action.ts")).logsAction,
});
