/**
 * `local list-jobs`: the runs of an app on this machine, and what differs between two of them.
 *
 * @module
 */

import type { App } from "../app/app.ts";
import { requireInside } from "../app/confinement.ts";
import { layoutOf } from "../app/layout.ts";
import { UsageError } from "../errors.ts";
import { inOneLine } from "../text.ts";
import { type RunDifference, runDifferences } from "./record/compare.ts";
import type { RunSummary } from "./record/document.ts";
import { recordsOf } from "./record/records.ts";

/**
 * The runs of an app, the newest first.
 *
 * @param limit how many at most.
 * @throws MlcliError where the records lie outside of the app's repository.
 */
export async function listRuns(app: App, limit: number): Promise<readonly RunSummary[]> {
  return (await runsOf(app)).slice(0, limit);
}

/** Two runs, and what differs. */
export interface Comparison {
  readonly runs: readonly [RunSummary, RunSummary];
  readonly differences: readonly RunDifference[];
}

/**
 * Compares two runs.
 *
 * @throws UsageError where there is none of a name.
 */
export async function compareRuns(app: App, names: readonly [string, string]): Promise<Comparison> {
  const runs = await runsOf(app);
  const run = (name: string): RunSummary => {
    const found = runs.find((run) => run.name === name);
    if (found) return found;
    throw new UsageError(`No run is called "${inOneLine(name)}"`, {
      hint: "mlcli local list-jobs shows those that there are; the last 50 are kept.",
    });
  };
  const both = [run(names[0]), run(names[1])] as const;
  return { runs: both, differences: runDifferences(...both) };
}

async function runsOf(app: App): Promise<readonly RunSummary[]> {
  const layout = layoutOf(app);
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
  return await recordsOf(layout);
}
