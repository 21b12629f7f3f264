/** Searches the logs of earlier training runs for metrics that were defined later. */

import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { requireInside } from "../../app/confinement.ts";
import type { Context } from "../../context.ts";
import { isSystemError } from "../../errors.ts";
import { LARGEST_TEXT, replacePrivately } from "../../files.ts";
import { objectIn, RECORD_FILES } from "../../model/records.ts";
import { runDirectoryOf, runNames } from "../../model/runs.ts";
import { isObject, jsonObject, listed } from "../../text.ts";
import { csvField, metricFacts, valueRow, VALUES_HEADER } from "../runs/record.ts";
import { fileSize, MOST_VALUES, textAt } from "../ui/files.ts";
import type { Metric } from "./metrics.ts";

/** Steps (`MetricSearch.costOf`) for each command: up to 30 s with usual expressions. */
const MOST_STEPS = 3e9;

/** In steps: longer than about a second, a search needs a note. */
const NOTED_STEPS = 1e8;

/**
 * Adds metrics to the records of ended training runs, once per definition. Values have no times, because a
 * log has none.
 */
export async function measureEarlierRuns(
  app: App,
  { messages, interruption: { signal } }: Pick<Context, "messages" | "interruption">,
): Promise<void> {
  const definitions = app.configuration.metricDefinitions;
  if (definitions.length === 0) return;
  const layout = app.paths;
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
  let left = MOST_STEPS;
  const skipped: string[] = [];
  for (const run of runNames(layout)) {
    const directory = runDirectoryOf(layout, run);
    const log = join(directory, RECORD_FILES.log);
    try {
      const record = jsonObject(textAt(join(directory, RECORD_FILES.document), LARGEST_TEXT));
      if (record?.["kind"] !== "train" || !isObject(record["outcome"])) continue;
      const { metric_definitions: list } = record;
      const searched = Array.isArray(list) ? list.filter(isObject) : [];
      const names = new Set(
        definitions.filter(({ name, regex }) =>
          !searched.some((one) => one["name"] === name && one["regex"] === regex)
        ).map(({ name }) => name),
      );
      if (names.size === 0 || fileSize(log) === 0) continue;
      const added = definitions.filter(({ name }) => names.has(name));
      // Only now: the engine of the expressions takes some milliseconds to load.
      const search = new (await import("./metrics.ts")).Metrics(added, () => NaN);
      const cost = search.costOf({ length: fileSize(log) });
      if (cost > left) {
        skipped.push(run);
        continue;
      }
      left -= cost;
      if (cost > NOTED_STEPS) messages.note(`Searching the log of run ${run} for metrics`);
      await search.searchLog(log, signal);
      const old = Object.fromEntries([...names].map((name) => [name, undefined]));
      const changed = {
        ...record,
        metrics: { ...objectIn(record["metrics"]), ...old, ...metricFacts(search.all) },
        metric_definitions: [...searched.filter(({ name }) => !names.has(String(name))), ...added],
      };
      await keep(directory, names, search.all, `${JSON.stringify(changed, null, 2)}\n`);
    } catch (error) {
      // As with a run: a file that cannot be read or written stops no command.
      if (!isSystemError(error)) throw error;
    }
  }
  if (skipped.length === 0) return;
  messages.note(`Skipped the logs of ${listed(skipped)}: too long to search for metrics`);
}

/** Replaces the values of these metrics, and then the document that marks the search as done. */
async function keep(
  directory: string,
  names: ReadonlySet<string>,
  metrics: readonly Metric[],
  document: string,
): Promise<void> {
  const path = join(directory, RECORD_FILES.values);
  const fields = [...names].map((name) => `,${csvField(name)},`);
  const rows = textAt(path, MOST_VALUES).split(/(?<=\n)/).slice(1).filter((row) =>
    row.endsWith("\n") && !fields.some((field) => row.startsWith(field, row.indexOf(",")))
  );
  rows.push(...metrics.flatMap(({ name, samples }) => samples.map((one) => valueRow(name, one))));
  if (rows.length > 0) await replacePrivately(path, VALUES_HEADER + rows.join(""));
  await replacePrivately(join(directory, RECORD_FILES.document), document);
}
