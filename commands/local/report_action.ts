import type { Context } from "../../runtime/context.ts";
import { absolutePath } from "../../runtime/app/typed_path.ts";
import { UsageError } from "../../runtime/errors.ts";
import { measureEarlierRuns } from "../../runtime/local/metrics/earlier.ts";
import { reportOf, writeReport } from "../../runtime/local/ui/report.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import { pageDocument, withReport } from "../../runtime/page/document.ts";
import { inOneLine } from "../../runtime/text.ts";
import { counted } from "../../runtime/quantities.ts";
import { chosenApp } from "../chosen_app.ts";
import type { ReportOptions } from "./ui.ts";

/** Writes the page as one file. */
export async function reportAction(context: Context, options: ReportOptions): Promise<void> {
  const { out, err, cwd, clock, interruption } = context;
  const { withLogs } = options;
  const app = await chosenApp(context, options);
  const file = options.outputFile ?? `${app.name}-report.html`;
  if (file === "-" && out.isTerminal) {
    throw new UsageError("The report is a page, which a terminal does not show.", {
      hint: "Without -o -, mlcli writes it to a file.",
    });
  }
  await measureEarlierRuns(app, context);
  const document = await pageDocument();
  const report = await reportOf(app, { ...options, made: clock.date() }, interruption.signal);
  const page = withReport(document, report);
  if (file === "-") await out.write(new TextEncoder().encode(page));
  else await writeReport(absolutePath(cwd, file), file, page, document);
  const count = counted(report.runs.length, "run");
  const code = report.comparisons.length > 0 ? "changes of the code, " : "";
  const logs = withLogs ? "and their logs" : "and no logs (--with-logs)";
  const shown = "all that the page shows of a run, such as hyperparameters and why it failed, ";
  tell(err, noteText(`The report holds ${count}: ${shown}${code}${logs}`));
  if (file !== "-") out.print(`${inOneLine(file)}\n`);
}
