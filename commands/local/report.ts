import { counted } from "../../runtime/quantities.ts";
import { enumerated, inOneLine } from "../../runtime/text.ts";
import { appCommand } from "../command.ts";
import { options } from "../options/option.ts";
import { appName } from "../options/shared.ts";

const OPTIONS = options({
  "[runs...]": { completion: "local-job" },
  ...appName,
  "-o, --output-file FILE": {
    description: "File to write (default: report.html in local_test/jobs)",
    path: "typed",
  },
  "--with-logs": { description: "Include each run's last log lines, which can contain secrets" },
});

export default appCommand({
  details: "The report shows the same runs as mlcli local ui. You can open the report without " +
    "a server. RUNS can be names of runs, their numbers in mlcli local list-jobs, or " +
    "last (default: all runs).",
  options: OPTIONS,
  examples: [
    ["Report all runs", "mlcli local report"],
    ["Report the last two runs with logs", "mlcli local report 2 1 --with-logs -o report.html"],
  ],
  action: async (context, options) => {
    const { measureEarlierRuns } = await import("../../runtime/local/metrics/earlier.ts");
    const { reportOf, writeReport } = await import("../../runtime/local/ui/report.ts");
    const { pageDocument, withReport } = await import("../../runtime/page/document.ts");
    const { out, messages, clock, interruption } = context;
    const { app, outputFile, withLogs } = options;
    await measureEarlierRuns(app, context);
    const document = await pageDocument();
    const report = await reportOf(app, { ...options, made: clock.date() }, interruption.signal);
    const path = await writeReport(app, outputFile, withReport(document, report), document);
    const count = counted(report.runs.length, "run");
    const code = report.comparisons.length > 0 ? ["code changes"] : [];
    const logs = withLogs ? "and their logs" : "but no logs (see --with-logs)";
    const parts = enumerated(["hyperparameters", "metrics", "errors", ...code]);
    messages.note(`The report contains ${count} with ${parts}, ${logs}`);
    out.print(`${inOneLine(path)}\n`);
  },
});
