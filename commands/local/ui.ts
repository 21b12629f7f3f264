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
    description: "Port on this machine; 0 picks a free one.",
    default: "8090",
    parse: parsePort,
  },
  "--open": { description: "Open the page in your browser." },
  "--allow-host": {
    value: "name",
    description: "Another host name by which the page is reached. May be repeated.",
    repeatable: true,
    parse: parseHost,
  },
});

export type UiOptions = Values<typeof UI>;

export const uiCommand: Command = command({
  details:
    "Only this machine reaches the page, and only with the token in the printed address. It " +
    "reads the runs of the app and asks its servers; it starts and deletes nothing. Ctrl-C ends it.",
  options: UI,
  examples: [
    ["Look at the runs and servers, and open the page", "mlcli local ui --open"],
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
    description: "File to write. Default: report.html in the directory of the runs.",
    path: "typed",
  },
  "--with-logs": { description: "Also the end of each run's log, which may hold secrets." },
});

export type ReportOptions = Values<typeof REPORT>;

export const reportCommand: Command = command({
  details:
    "It holds what mlcli local ui shows of the runs, and needs no server. mlcli prints its path. " +
    "Without RUNS, it has all runs. A run is a name, last, or the number in mlcli local list-jobs.",
  options: REPORT,
  examples: [
    ["Write a page about all runs for a colleague", "mlcli local report"],
    ["Compare the last two, with their logs", "mlcli local report 2 1 --with-logs -o report.html"],
  ],
  action: async () => (await import("./report_action.ts")).reportAction,
});
