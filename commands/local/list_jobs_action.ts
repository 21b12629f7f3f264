import type { Context } from "../../runtime/context.ts";
import { UsageError } from "../../runtime/errors.ts";
import {
  compareRuns,
  type Comparison,
  listRuns,
  secondsOf,
} from "../../runtime/local/runs/list.ts";
import { lastValues, shortNumber } from "../../runtime/local/metrics/messages.ts";
import type { RunSummary } from "../../runtime/model/records.ts";
import type { Output } from "../../runtime/streams.ts";
import { inOneLine, printableJson } from "../../runtime/text.ts";
import { chosenApp } from "../chosen_app.ts";
import { durationText, green, localTimestamp, red, yellow } from "../render/format.ts";
import { fittingTableText } from "../render/table.ts";
import type { ListRunsOptions } from "./list_jobs.ts";

const HEADINGS = ["NAME", "KIND", "STATUS", "AGE", "METRICS"];
const STATUS_COLUMN = 2;

/** Prints a line a run, or what differs between two. */
export async function listRunsAction(context: Context, options: ListRunsOptions): Promise<void> {
  const { names, limit, output } = options;
  const { out, err } = context;
  if (names.length > 0) return await compareAction(context, options);
  const runs = await listRuns(await chosenApp(context, options.appName), limit);
  if (output === "json") return out.print(`${printableJson(runs.map(jsonRun), 2)}\n`);
  const now = context.clock.date();
  out.print(fittingTableText(HEADINGS, runs.map((run) => rowOf(run, out, now)), out, paint));
  if (runs.length === 0 && err.isTerminal) {
    err.print("No run yet. mlcli local train makes one.\n");
  }
}

async function compareAction(context: Context, options: ListRunsOptions): Promise<void> {
  const [one, other, more] = options.names;
  if (one === undefined || other === undefined || more !== undefined) {
    throw new UsageError(`A comparison takes two runs, but got ${options.names.length}.`, {
      hint: "Give two names, or none for the list.",
    });
  }
  const comparison = await compareRuns(await chosenApp(context, options.appName), [one, other]);
  const { out } = context;
  if (options.output === "json") {
    return out.print(`${printableJson(jsonComparison(comparison), 2)}\n`);
  }
  out.print(comparisonText(comparison, out));
}

function rowOf(run: RunSummary, out: Pick<Output, "isTerminal">, now: Date): string[] {
  // For a program the time itself, which stays the same.
  const when = out.isTerminal
    ? durationText(now.getTime() - run.started.getTime())
    : localTimestamp(run.started, "T");
  const metrics = Object.entries(run.metrics).map(([name, last]) => ({ name, last }));
  const row = [inOneLine(run.name), run.kind, run.status, when];
  return metrics.length === 0 ? row : [...row, lastValues(metrics)];
}

function paint(field: string, column: number): string {
  if (column !== STATUS_COLUMN) return field;
  if (field === "Completed") return green(field);
  return field === "Failed" || field === "Lost" ? red(field) : yellow(field);
}

function comparisonText({ runs, differences }: Comparison, out: Output): string {
  const names = runs.map(({ name }, index) => `${index + 1}: ${inOneLine(name)}\n`).join("");
  if (differences.length === 0) return `${names}Nothing differs.\n`;
  const rows = differences.map(({ what, name, values }) => [
    inOneLine(name === "" ? what : `${what} ${name}`),
    ...values.map((value) => value === undefined ? "-" : valueText(what, value)),
  ]);
  return names + fittingTableText(["", "1", "2"], rows, out);
}

function valueText(what: string, value: string): string {
  return inOneLine(what === "metric" ? shortNumber(Number(value)) : value);
}

function jsonRun(run: RunSummary): Record<string, unknown> {
  return {
    job_name: run.name,
    kind: run.kind,
    status: run.status,
    creation_time: localTimestamp(run.started, "T"),
    end_time: run.ended === undefined ? null : localTimestamp(run.ended, "T"),
    seconds: secondsOf(run) ?? null,
    exit_status: run.exitStatus ?? null,
    reason: run.reason ?? null,
    image: run.image,
    hyperparameters: run.hyperparameters,
    metrics: run.metrics,
  };
}

function jsonComparison({ runs, differences }: Comparison): Record<string, unknown> {
  return {
    runs: runs.map(jsonRun),
    differences: differences.map(({ what, name, values }) => ({
      what,
      name: name || null,
      values: values.map((value) =>
        value === undefined ? null : what === "metric" ? Number(value) : value
      ),
    })),
  };
}
