/** `mlcli local ui` and `report`. */

import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { parseHost, parsePort } from "../options/parsers.ts";
import { appName } from "../options/shared.ts";

const UI = options({
  ...appName,
  "--port": {
    short: "-p",
    value: "port",
    description: "Port on this machine; with 0, mlcli selects a free port",
    default: "8090",
    parse: parsePort,
  },
  "--open": { description: "Open the page in your browser" },
  "--allow-host": {
    value: "host",
    description: "Also accept requests for this host name (repeatable)",
    repeatable: true,
    parse: parseHost,
  },
});

export type UiOptions = Values<typeof UI>;

export const uiCommand: Command = command({
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
  "--output-file": {
    short: "-o",
    value: "file",
    description: "File to write (default: report.html in local_test/jobs)",
    path: "typed",
  },
  "--with-logs": { description: "Include each run's last log lines, which can contain secrets" },
});

export type ReportOptions = Values<typeof REPORT>;

export const reportCommand: Command = command({
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
