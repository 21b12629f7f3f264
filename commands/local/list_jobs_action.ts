import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import {
  compareRuns,
  type Comparison,
  listRuns,
  secondsOf,
  wholeRun,
} from "../../runtime/local/runs/list.ts";
import { jsonComparison, jsonRun, jsonWholeRun } from "../../runtime/local/runs/json.ts";
import { measureEarlierRuns } from "../../runtime/local/metrics/earlier.ts";
import { lastValues } from "../../runtime/local/metrics/messages.ts";
import type { RunSummary } from "../../runtime/model/records.ts";
import type { Output } from "../../runtime/streams.ts";
import { METRICS_KEY } from "../../runtime/contract/metric_definitions.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { inOneLine, printable, printableJson } from "../../runtime/text.ts";
import { chosenApp } from "../chosen_app.ts";
import { durationText, elapsedText, shortNumber } from "../../runtime/quantities.ts";
import { green, red, yellow } from "../render/format.ts";
import { fittingTableText, tableText } from "../render/table.ts";
import { wholeRunText } from "./run_formats.ts";
import type { ListRunsOptions } from "./list_jobs.ts";

const HEADINGS = ["#", "NAME", "KIND", "STATUS", "AGE", "TIME", "RESULT"];
const [NAME_COLUMN, KIND_COLUMN, STATUS_COLUMN] = [1, 2, 3];

/** Prints a line a run, one run, or what differs between two. */
export async function listRunsAction(context: Context, options: ListRunsOptions): Promise<void> {
  const { names: [one, other, ...more], limit, output } = options;
  const { out, err } = context;
  const print = (json: unknown, text: string): void =>
    out.print(output === "json" ? `${printableJson(json, 2)}\n` : text);
  if (more.length > 0) {
    throw new UsageError(`A comparison takes two runs, but got ${options.names.length}.`, {
      hint: "Give two names, one for all of a run, or none for the list.",
    });
  }
  const app = await chosenApp(context, options);
  await measureEarlierRuns(app, context);
  if (other !== undefined) {
    const found = await compareRuns(app, [one!, other], context.interruption.signal);
    return print(jsonComparison(found), comparisonText(found, out));
  }
  if (one !== undefined) {
    const run = await wholeRun(app, one);
    return print(jsonWholeRun(run), wholeRunText(run));
  }
  const runs = await listRuns(app, limit);
  print(runs.map(jsonRun), listText(runs, out, context.clock.date()));
  if (output === "json" || !err.isTerminal) return;
  if (runs.length === 0) tell(err, "No run yet. mlcli local train makes one.\n");
  else if (
    runs.every(({ metrics }) => Object.keys(metrics).length === 0) &&
    runs.some(({ kind }) => kind === "train")
  ) {
    const key = `${METRICS_KEY} in ${app.name}.json`;
    tell(err, noteText(`No metrics: ${key} names what to look for in the output`));
  }
}

/** For a program the time itself, which stays the same, and all of each field. */
function listText(runs: readonly RunSummary[], out: Output, now: Date): string {
  const rows = runs.map((run, index) => {
    const { name, kind, status, started, commit } = run;
    const [seconds, result] = [secondsOf(run), resultOf(run)];
    const fields = out.isTerminal
      ? [
        String(index + 1),
        inOneLine(name),
        kind,
        status,
        durationText(now.getTime() - started.getTime()),
        seconds === undefined ? "-" : elapsedText(1000 * seconds),
      ]
      : [
        inOneLine(name),
        kind,
        status,
        localTimestamp(started, "T"),
        seconds === undefined ? "-" : String(seconds),
        inOneLine(commit ?? "-"),
      ];
    // On a terminal, its column and its status say the rest.
    const shown = out.isTerminal ? result.replace(/^\w+ failed: /, "") : result;
    return shown === "" ? fields : [...fields, shown];
  });
  if (!out.isTerminal) return fittingTableText([], rows, out, 0);
  // What all of them are takes the room of their results.
  const isOneKind = new Set(runs.map(({ kind }) => kind)).size === 1;
  const withoutKind = <T>(row: readonly T[]): readonly T[] =>
    row.filter((_, column) => !isOneKind || column !== KIND_COLUMN);
  const statusAt = isOneKind ? STATUS_COLUMN - 1 : STATUS_COLUMN;
  return fittingTableText(
    withoutKind(HEADINGS),
    rows.map(withoutKind),
    out,
    NAME_COLUMN,
    (field, column) => column === statusAt ? painted(field) : field,
  );
}

/** Its metrics, or why there are none to rely on; of a transform, what it did. */
function resultOf({ status, reason, metrics, transform }: RunSummary): string {
  if (status === "Failed" && reason !== undefined) return inOneLine(reason);
  if (transform) return inOneLine(`files=${transform["files"]} records=${transform["records"]}`);
  return lastValues(Object.entries(metrics).map(([name, { last }]) => ({ name, last })));
}

function painted(field: string): string {
  if (field === "Completed") return green(field);
  return field === "Failed" || field === "Lost" ? red(field) : yellow(field);
}

function comparisonText({ runs, differences, code }: Comparison, out: Output): string {
  const names = runs.map(({ name }, index) => `${"AB"[index]}: ${inOneLine(name)}\n`).join("");
  if (differences.length === 0) return `${names}Nothing differs.\n`;
  const rows = differences.map(({ what, name, values }) => [
    inOneLine(name === "" ? what : `${what} ${name}`),
    ...values.map((value) => value === undefined ? "-" : valueText(what, value)),
  ]);
  const changes = code?.map(({ path, change, patch }) =>
    `${change} ${inOneLine(path)}\n${printable(patch ?? "")}`
  );
  return names + tableText(["", "A", "B"], rows, out) +
    (changes?.join("") ??
      "Their code cannot be compared: that of one run is not kept, or is too large.\n");
}

function valueText(what: string, value: string): string {
  return inOneLine(what === "metric" ? shortNumber(Number(value)) : value);
}
