/** `mlcli local stop`, `status` and `logs`. */

import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseTail } from "../options/parsers.ts";
import { appName, onlyServerPort, outputFormat, progressOptions } from "../options/shared.ts";
import { serverOf, serverPort } from "../options/shared.ts";

const STOP = options({
  ...serverOf,
  ...serverPort,
  // No variable: what is removed has to be typed.
  "--port": { ...serverPort["--port"], variable: undefined },
  "-y, --yes": { description: "Stop the server even if its app is in another directory" },
  ...progressOptions,
});

export type StopOptions = Values<typeof STOP>;

export const stopCommand: Command = command({
  options: STOP,
  examples: [
    ["Stop the server on port 8081", "mlcli local stop --port 8081"],
    ["Stop a server that was started in another directory", "mlcli local stop -p 8081 --yes"],
  ],
  action: async () => (await import("./stop_action.ts")).stopAction,
});

const STATUS = options({
  "--app-name": {
    ...appName["--app-name"],
    description: "Show only servers and runs of app NAME",
    variable: undefined,
  },
  ...outputFormat,
});

export type StatusOptions = Values<typeof STATUS>;

export const statusCommand: Command = command({
  options: STATUS,
  examples: [
    ["Show what is running and whether it is healthy", "mlcli local status"],
    ["Print JSON for a script", "mlcli local status --output json"],
  ],
  action: async () => (await import("./server_actions.ts")).statusAction,
});

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

export const logsCommand: Command = command({
  details: "Without RUN, mlcli shows the log of the server. RUN is the name of a run, its " +
    "number in mlcli local list-jobs, or last for the newest run.",
  options: LOGS,
  examples: [
    ["Show the last 20 lines and follow the log", "mlcli local logs --tail 20 --follow"],
    ["Show what the last run printed", "mlcli local logs last"],
  ],
  action: async () => (await import("./logs_action.ts")).logsAction,
});
