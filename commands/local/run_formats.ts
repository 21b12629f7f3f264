/** Text of `mlcli local list-jobs` and `mlcli local describe`: one run, a comparison, and the list. */

import type { App } from "../../runtime/app/app.ts";
import { widthOf } from "../../runtime/cells.ts";
import type { Context } from "../../runtime/context.ts";
import { measureEarlierRuns } from "../../runtime/local/metrics/earlier.ts";
import { lastValues } from "../../runtime/local/metrics/messages.ts";
import { jsonWholeRun } from "../../runtime/local/runs/json.ts";
import {
  type Comparison,
  secondsOf,
  type WholeRun,
  wholeRun,
} from "../../runtime/local/runs/list.ts";
import { type RunSummary, shortNames } from "../../runtime/model/records.ts";
import { byteCount, durationText, elapsedText, shortNumber } from "../../runtime/quantities.ts";
import type { Output } from "../../runtime/streams.ts";
import { inOneLine, isObject, jsonText, own, printable } from "../../runtime/text.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { type Field, fieldsText } from "../render/fields.ts";
import { green, red, yellow } from "../render/format.ts";
import { type Column, rowsText } from "../render/list.ts";
import { GAP } from "../render/table.ts";

/** Prints the full record of a run. */
export async function printRun(
  context: Context,
  { app, run, output }: {
    readonly app: App;
    /** Name, number in the list, or `last`. */
    readonly run: string;
    readonly output: "text" | "json";
  },
): Promise<void> {
  await measureEarlierRuns(app, context);
  const whole = await wholeRun(app, run);
  context.out.print(output === "json" ? jsonText(jsonWholeRun(whole)) : wholeRunText(whole));
}

/** Returns a field per line: `Exit status: 1`, `Hyperparameter: epochs=5`. */
function wholeRunText(run: WholeRun): string {
  const whole = jsonWholeRun(run);
  const hosts = whole.hosts.map(({ name, peak_memory, ...facts }) => [
    name,
    { ...facts, peak_memory: peak_memory && byteCount(peak_memory) },
  ]);
  const shown = {
    ...whole,
    hosts: Object.fromEntries(hosts),
    pinned: whole.pinned ? "yes" : null,
    model_bytes: whole.model_bytes && byteCount(whole.model_bytes),
  };
  return fieldsText(
    Object.entries(shown).flatMap(([key, value]): readonly Field[] => {
      const name = `${key[0]!.toUpperCase()}${key.slice(1).replaceAll("_", " ")}`;
      if (isObject(value)) {
        const each = Object.entries(value).map(([part, of]) => `${part}=${textOf(of)}`);
        return each.map((text) => [name.replace(/s$/, ""), inOneLine(text)]);
      }
      return [[name, value === null || textOf(value) === "" ? undefined : textOf(value)]];
    }),
  );
}

function textOf(value: unknown): string {
  if (isObject(value)) {
    const known = Object.entries(value).filter(([, part]) => part !== null);
    return known.map(([name, part]) => `${name} ${textOf(part)}`).join(", ");
  }
  return Array.isArray(value) ? value.map(textOf).join("; ") : String(value);
}

/**
 * Returns what differs between runs: a table with a column for each run, then the rows that the
 * terminal has no room for, with a line for each value.
 */
export function comparisonText({ runs, differences, code }: Comparison, out: Output): string {
  const letters = runs.map((_, index) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index] ?? String(index + 1));
  const names = runs.map(({ name }, index) => `${letters[index]}: ${inOneLine(name)}\n`).join("");
  if (differences.length === 0) return `${names}No differences\n`;
  const rows = differences.map(({ what, name, values }): readonly string[] => [
    inOneLine(name === "" ? what : `${what} ${name}`),
    ...values.map((value) => valueText(what, value)),
  ]);
  const beside = out.columns - Math.max(...rows.map(([title]) => widthOf(title!)));
  const room = out.isTerminal ? Math.floor(beside / runs.length) - GAP.length : Infinity;
  const fits = ([, ...values]: readonly string[]): boolean =>
    values.every((value) => widthOf(value) <= room);
  const below = rows.filter((row) => !fits(row)).map(([title, ...values]) => {
    const byValue = Map.groupBy(letters, (_, index) => values[index]!);
    const lines = [...byValue].map(([value, sharing]) => `${GAP}${sharing.join(", ")}: ${value}\n`);
    return `${title}\n${lines.join("")}`;
  });
  const changes = code?.map(({ path, change, patch }) =>
    `${change} ${inOneLine(path)}\n${printable(patch ?? "")}`
  );
  const columns = ["", ...letters].map((heading, at) => ({
    heading,
    field: (row: readonly string[]) => row[at]!,
  }));
  const { text } = rowsText(rows.filter(fits), columns, out);
  return [names, text, ...below, ...changes ?? (runs.length > 2 ? [] : [WITHOUT_CODE])].join("");
}

const WITHOUT_CODE = "Cannot compare the code: the code of one run was not kept or is too large\n";

function valueText(what: string, value: string | undefined): string {
  if (value === undefined) return "-";
  return inOneLine(what === "metric" ? shortNumber(Number(value)) : value);
}

/** Returns the columns of a list of some runs, with their places among all. */
export function runColumns(
  runs: readonly RunSummary[],
  all: readonly RunSummary[],
  out: Output,
  now: Date,
): readonly Column<RunSummary>[] {
  const names = shortNames(all);
  const isOneKind = new Set(runs.map(({ kind }) => kind)).size === 1;
  const most = Math.max(8, Math.floor(out.columns / 5));
  const none = (): string => "";
  // The first hyperparameter and the first metric have room before the second ones.
  return [
    { heading: "#", field: (run) => String(1 + all.indexOf(run)), plain: none },
    // A name that mlcli gives has 23 letters without the app's: 2026-03-01-09-30-00-123.
    { heading: "NAME", field: ({ name }) => names.get(name)!, plain: ({ name }) => name, most: 23 },
    {
      heading: "KIND",
      field: ({ kind }) => isOneKind ? "" : kind,
      plain: ({ kind }) => kind,
      rank: 1,
    },
    { heading: "STATUS", field: ({ status }) => status, paint: painted },
    {
      heading: "PINNED",
      field: (run) => run.pinned ? byteCount(run.modelBytes ?? 0) : "",
      plain: none,
      rank: 2,
    },
    {
      heading: "AGE",
      field: ({ started }) => durationText(now.getTime() - started.getTime()),
      plain: ({ started }) => localTimestamp(started, "T"),
      rank: 3,
    },
    {
      heading: "TIME",
      field: (run) => run.ended ? elapsedText(1000 * secondsOf(run)!) : "-",
      plain: (run) => String(secondsOf(run) ?? "-"),
      rank: 3,
    },
    { heading: "COMMIT", field: none, plain: ({ commit }) => commit ?? "-" },
    ...differingNames(runs).map((name, index): Column<RunSummary> => ({
      heading: name,
      field: (run) => fieldText(own(run.hyperparameters, name)),
      plain: none,
      rank: 1 + index,
      most,
    })),
    {
      heading: "HYPERPARAMETERS",
      field: none,
      plain: ({ hyperparameters }) =>
        Object.entries(hyperparameters).map(([name, value]) => `${name}=${value}`).join(GAP),
    },
    ...namesIn(runs.map(({ metrics }) => metrics)).map((name, index): Column<RunSummary> => ({
      heading: name,
      field: (run) => fieldText(own(run.metrics, name)?.last),
      plain: none,
      rank: 1 + index,
      most,
    })),
    {
      heading: "RESULT",
      // The column STATUS already says that a run failed.
      field: (run) => resultOf(run).replace(/^\w+ failed: /, ""),
      plain: (run) => resultOf(run) || lastValuesOf(run),
      rank: 1,
      most: 8,
    },
  ];
}

function lastValuesOf({ metrics }: RunSummary): string {
  return lastValues(Object.entries(metrics).map(([name, { last }]) => ({ name, last })));
}

/** Shortens metrics, and the fractions that a random search draws, but no seed. */
function fieldText(value: string | number | undefined): string {
  const isLong = typeof value === "number" || /^-?\d*\.\d{7,}$/.test(value ?? "");
  return isLong ? shortNumber(Number(value)) : value ?? "-";
}

/** Returns the reason of a failure, or the counts of a transform; empty for other runs. */
function resultOf({ status, reason, transform }: RunSummary): string {
  if (status === "Failed" && reason !== undefined) return reason;
  return transform ? `files=${transform["files"]} records=${transform["records"]}` : "";
}

/**
 * Returns the hyperparameters that differ between training runs. A downloaded model has unknown
 * hyperparameters.
 */
function differingNames(runs: readonly RunSummary[]): readonly string[] {
  const each = runs.filter(({ kind, status }) => kind === "train" && status !== "Downloaded")
    .map(({ hyperparameters }) => hyperparameters);
  return namesIn(each).filter((name) => new Set(each.map((one) => own(one, name))).size > 1);
}

function namesIn(records: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

function painted(status: string): string {
  if (status === "Completed") return green(status);
  return status === "Failed" || status === "Lost" ? red(status) : yellow(status);
}
