import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseTail } from "../options/parsers.ts";
import { onlyServerPort } from "../options/shared.ts";
import { serverOf } from "../options/shared.ts";

const LOGS = options({
  "[run]": { completion: "local-job" },
  ...serverOf,
  ...onlyServerPort,
  "-f, --follow": { description: "Follow the log until the server stops" },
  "--tail LINES": {
    description: "Number of last lines to show, or all for the whole log",
    default: "all",
    parse: parseTail,
  },
});

export type LogsOptions = Values<typeof LOGS>;

export default command({
  details: "Without RUN, mlcli shows the log of the server. RUN is the name of a run, its " +
    "number in mlcli local list-jobs, or last for the newest run.",
  options: LOGS,
  examples: [
    ["Show the last 20 lines and follow the log", "mlcli local logs --tail 20 --follow"],
    ["Show what the last run printed", "mlcli local logs last"],
  ],
  action: async (context, options) =>
    await (await import("./logs_action.ts")).logsAction(context, options),
});
