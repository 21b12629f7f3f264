import type { Context } from "../../runtime/context.ts";
import { measureEarlierRuns } from "../../runtime/local/metrics/earlier.ts";
import { reportOf, writeReport } from "../../runtime/local/ui/report.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import { pageDocument, withReport } from "../../runtime/page/document.ts";
import { enumerated, inOneLine } from "../../runtime/text.ts";
import { counted } from "../../runtime/quantities.ts";
import type { ReportValues } from "./report.ts";

/** Writes the page as one file, and prints its path. */
export async function reportAction(context: Context, options: ReportValues): Promise<void> {
  const { out, err, clock, interruption } = context;
  const { app } = options;
  await measureEarlierRuns(app, context);
  const document = await pageDocument();
  const report = await reportOf(app, { ...options, made: clock.date() }, interruption.signal);
  const path = await writeReport(app, options.outputFile, withReport(document, report), document);
  const count = counted(report.runs.length, "run");
  const code = report.comparisons.length > 0 ? ["code changes"] : [];
  const logs = options.withLogs ? "and their logs" : "but no logs (see --with-logs)";
  const parts = enumerated(["hyperparameters", "metrics", "errors", ...code]);
  tell(err, noteText(`The report contains ${count} with ${parts}, ${logs}`));
  out.print(`${inOneLine(path)}\n`);
}
