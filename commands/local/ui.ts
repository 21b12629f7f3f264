/** `mlcli local ui` and `report`. */

import { appCommand, type AppValues, type Command } from "../command.ts";
import { options } from "../options/option.ts";
import { parseHost, parsePort } from "../options/parsers.ts";
import { appName } from "../options/shared.ts";

const UI = options({
  ...appName,
  "-p, --port PORT": {
    description: "Port on this machine; with 0, mlcli selects a free port",
    default: "8090",
    parse: parsePort,
  },
  "--open": { description: "Open the page in your browser" },
  "--allow-host HOST...": {
    description: "Also accept requests for this host name (repeatable)",
    parse: parseHost,
  },
});

export type UiValues = AppValues<typeof UI>;

export const uiCommand: Command = appCommand({
  details: "You can open the page only on this machine, with the token in the printed " +
    "address. The page shows runs and can send requests to servers, but cannot start " +
    "or delete runs or servers. To stop the page, press Ctrl-C.",
  options: UI,
  examples: [
    ["Open the page in your browser", "mlcli local ui --open"],
    ["Serve the page on a free port", "mlcli local ui --port 0"],
  ],
  action: async () => (await import("./ui_action.ts")).uiAction,
});

const REPORT = options({
  "[runs...]": { completion: "local-job" },
  ...appName,
  "-o, --output-file FILE": {
    description: "File to write (default: report.html in local_test/jobs)",
    path: "typed",
  },
  "--with-logs": { description: "Include each run's last log lines, which can contain secrets" },
});

export type ReportValues = AppValues<typeof REPORT>;

export const reportCommand: Command = appCommand({
  details: "The report shows the same runs as mlcli local ui. You can open the report without " +
    "a server. RUNS can be names of runs, their numbers in mlcli local list-jobs, or " +
    "last (default: all runs).",
  options: REPORT,
  examples: [
    ["Report all runs", "mlcli local report"],
    ["Report the last two runs with logs", "mlcli local report 2 1 --with-logs -o report.html"],
  ],
  action: async () => (await import("./report_action.ts")).reportAction,
});
