import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import { METRICS_KEY, SAMPLE_METRIC } from "../../runtime/contract/metric_definitions.ts";
import { measureEarlierRuns } from "../../runtime/local/metrics/earlier.ts";
import { lastValues } from "../../runtime/local/metrics/messages.ts";
import { jsonComparison, jsonRun, jsonWholeRun } from "../../runtime/local/runs/json.ts";
import { compareRuns, listRuns, secondsOf, wholeRun } from "../../runtime/local/runs/list.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import type { RunSummary } from "../../runtime/model/records.ts";
import { inOneLine, listed, printableJson } from "../../runtime/text.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { tableText } from "../render/table.ts";
import type { DescribeRunValues } from "./describe.ts";
import type { ListRunsValues } from "./list_jobs.ts";
import { comparisonText, resultOf, runTable, wholeRunText } from "./run_formats.ts";

/** Prints a line for each run, one run, or what differs between several. */
export async function listRunsAction(context: Context, options: ListRunsValues): Promise<void> {
  const { app, names, kind, limit, output } = options;
  const { out, err } = context;
  const print = (json: unknown, text: string): void => printAs(output, json, text, out);
  if (names.length > 0 && kind !== undefined) {
    throw new UsageError('Option "--kind" cannot be used with the name of a run', {
      hint: "Remove --kind, or remove the name to list all runs of that kind",
    });
  }
  if (names.length === 1) {
    return await describeRunAction(context, { ...options, run: names[0]! });
  }
  await measureEarlierRuns(app, context);
  if (names.length > 1) {
    const found = await compareRuns(app, names, context.interruption.signal);
    return print(jsonComparison(found), comparisonText(found, out));
  }
  const all = await listRuns(app);
  const chosen = all.filter((run) => kind === undefined || run.kind === kind);
  const runs = chosen.slice(0, limit);
  const { text, left } = out.isTerminal
    ? runTable(runs, all, out, context.clock.date())
    : { text: tableText([], runs.map(wholeRow), out), left: [] };
  print(runs.map(jsonRun), text);
  if (output === "json" || !err.isTerminal) return;
  if (runs.length === 0) {
    const runs = kind === undefined ? "runs" : `runs of kind ${kind}`;
    tell(err, `No ${runs} yet. Start one: mlcli local ${kind ?? "train"}\n`);
  }
  if (chosen.length > limit) {
    tell(err, noteText(`Showing ${limit} of ${chosen.length} runs (more with --limit)`));
  }
  if (left.length > 0) {
    tell(err, noteText(`Columns not shown: ${listed(left, 10)} (use --output json)`));
  }
  if (
    app.configuration.metricDefinitions.every(({ regex }) => regex === SAMPLE_METRIC.Regex) &&
    runs.every(({ metrics }) => Object.keys(metrics).length === 0) &&
    runs.some(({ kind }) => kind === "train")
  ) {
    const key = `${METRICS_KEY} in ${app.name}.json`;
    tell(err, noteText(`No metrics. To extract them from the output, set ${key}.`));
  }
}

/** Prints the full record of a run. */
export async function describeRunAction(
  context: Context,
  options: DescribeRunValues,
): Promise<void> {
  const { app } = options;
  await measureEarlierRuns(app, context);
  const run = await wholeRun(app, options.run);
  printAs(options.output, jsonWholeRun(run), wholeRunText(run), context.out);
}

function printAs(
  format: ListRunsValues["output"],
  json: unknown,
  text: string,
  out: Context["out"],
): void {
  out.print(format === "json" ? `${printableJson(json, 2)}\n` : text);
}

/** Returns the row of a run for a program: whole fields, and the time of the start, not the age. */
function wholeRow(run: RunSummary): readonly string[] {
  const { name, kind, status, started, commit, hyperparameters, metrics } = run;
  const values = Object.entries(metrics).map(([name, { last }]) => ({ name, last }));
  return [
    name,
    kind,
    status,
    localTimestamp(started, "T"),
    String(secondsOf(run) ?? "-"),
    commit ?? "-",
    ...Object.entries(hyperparameters).map(([name, value]) => `${name}=${value}`),
    resultOf(run) || lastValues(values),
  ].filter((field) => field !== "").map(inOneLine);
}
