/** The list of runs on a terminal: a line for each run, with what differs between them. */

import { secondsOf } from "../../runtime/local/runs/list.ts";
import { type RunSummary, shortNames } from "../../runtime/model/records.ts";
import { byteCount, durationText, elapsedText, shortNumber } from "../../runtime/quantities.ts";
import type { Output } from "../../runtime/streams.ts";
import { own } from "../../runtime/text.ts";
import { green, red, yellow } from "../render/format.ts";
import { type Column, columnsText } from "../render/table.ts";

/** Returns the table of some runs, with their places among all, and the headings without room. */
export function runTable(
  runs: readonly RunSummary[],
  all: readonly RunSummary[],
  out: Output,
  now: Date,
): ReturnType<typeof columnsText> {
  const column = (
    heading: string,
    fieldOf: (run: RunSummary) => string,
    layout: Partial<Column> = {},
  ): Column => ({ heading, fields: runs.map(fieldOf), ...layout });
  const names = shortNames(all);
  const isOneKind = new Set(runs.map(({ kind }) => kind)).size === 1;
  const most = Math.max(8, Math.floor(out.columns / 5));
  // The first hyperparameter and the first metric have room before the second ones.
  return columnsText([
    column("#", (run) => String(1 + all.indexOf(run))),
    // A name that mlcli gives has 23 letters without the app's: 2026-03-01-09-30-00-123.
    column("NAME", ({ name }) => names.get(name)!, { most: 23 }),
    column("KIND", ({ kind }) => isOneKind ? "" : kind, { rank: 1 }),
    column("STATUS", ({ status }) => status, { paint: painted }),
    column("PINNED", ({ pinned, modelBytes = 0 }) => pinned ? byteCount(modelBytes) : "", {
      rank: 2,
    }),
    column("AGE", ({ started }) => durationText(now.getTime() - started.getTime()), { rank: 3 }),
    column("TIME", (run) => run.ended ? elapsedText(1000 * secondsOf(run)!) : "-", { rank: 3 }),
    ...differingNames(runs).map((name, index) =>
      column(name, (run) => fieldText(own(run.hyperparameters, name)), { rank: 1 + index, most })
    ),
    ...namesIn(runs.map(({ metrics }) => metrics)).map((name, index) =>
      column(name, (run) => fieldText(own(run.metrics, name)?.last), { rank: 1 + index, most })
    ),
    // STATUS says that a run failed.
    column("RESULT", (run) => resultOf(run).replace(/^\w+ failed: /, ""), { rank: 1, most: 8 }),
  ], out);
}

/** Shortens metrics, and the fractions that a random search draws, but no seed. */
function fieldText(value: string | number | undefined): string {
  const isLong = typeof value === "number" || /^-?\d*\.\d{7,}$/.test(value ?? "");
  return isLong ? shortNumber(Number(value)) : value ?? "-";
}

/** Returns the reason of a failure, or the counts of a transform; empty for other runs. */
export function resultOf({ status, reason, transform }: RunSummary): string {
  if (status === "Failed" && reason !== undefined) return reason;
  return transform ? `files=${transform["files"]} records=${transform["records"]}` : "";
}

/** Returns the hyperparameters that trainings don't share. Those of a downloaded model are unknown. */
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
