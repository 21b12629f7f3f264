import { appCommand, type AppValues } from "../command.ts";
import { options } from "../options/option.ts";
import { appName } from "../options/shared.ts";

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

export default appCommand({
  details: "The report shows the same runs as mlcli local ui. You can open the report without " +
    "a server. RUNS can be names of runs, their numbers in mlcli local list-jobs, or " +
    "last (default: all runs).",
  options: REPORT,
  examples: [
    ["Report all runs", "mlcli local report"],
    ["Report the last two runs with logs", "mlcli local report 2 1 --with-logs -o report.html"],
  ],
  action: async (context, options) =>
    await (await import("./report_action.ts")).reportAction(context, options),
});
