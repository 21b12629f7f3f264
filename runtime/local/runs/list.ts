/** `local list-jobs`: the runs of an app on this machine, and what differs between two of them. */

import type { App } from "../../app/app.ts";
import { requireInside } from "../../app/confinement.ts";
import { layoutOf } from "../../app/layout.ts";
import { UsageError } from "../../errors.ts";
import { recordsOf, type RunSummary } from "../../model/records.ts";
import { inOneLine } from "../../text.ts";
import { KEPT_RECORDS } from "./prune.ts";

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
      hint: `mlcli local list-jobs shows those that there are; the last ${KEPT_RECORDS} are kept.`,
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

/** Something that differs; `undefined` where a run does not have it. */
export interface RunDifference {
  /** `hyperparameter`, `package`, ... */
  readonly what: string;
  /** Its name; empty where there is only one of its kind. */
  readonly name: string;
  readonly values: readonly [string | undefined, string | undefined];
}

type Values = Readonly<Record<string, string | undefined>>;

/** What differs between two runs, the results last. */
export function runDifferences(
  one: RunSummary,
  other: RunSummary,
): readonly RunDifference[] {
  const rows: readonly (readonly [what: string, (run: RunSummary) => Values])[] = [
    ["kind", ({ kind }) => ({ "": kind })],
    ["image", ({ image }) => ({ "": image })],
    ["image id", ({ imageId }) => ({ "": imageId.replace(/^sha256:/, "").slice(0, 12) })],
    ["python", ({ python }) => ({ "": python })],
    ["mlcli", ({ mlcli }) => ({ "": mlcli })],
    ["hyperparameter", ({ hyperparameters }) => hyperparameters],
    ["channel", ({ channels }) => channels],
    ["option", ({ options }) => options],
    ["variable", ({ variables }) => Object.fromEntries(variables.map((name) => [name, "given"]))],
    // Of an image that told nothing, nobody knows what it lacks.
    ["code", ({ code }) => ({ "": code?.slice(0, 12) })],
    ["package", ({ packages }) => one.packages && other.packages ? packages ?? {} : {}],
    ["status", ({ status }) => ({ "": status })],
    ["exit status", ({ exitStatus }) => ({ "": textOf(exitStatus) })],
    ["seconds", (run) => ({ "": textOf(secondsOf(run)) })],
    ["metric", ({ metrics }) => {
      return Object.fromEntries(
        Object.entries(metrics).map(([name, last]) => [name, String(last)]),
      );
    }],
  ];
  return rows.flatMap(([what, valuesOf]) => {
    const [first, second] = [
      new Map(Object.entries(valuesOf(one))),
      new Map(Object.entries(valuesOf(other))),
    ];
    const names = [...new Set([...first.keys(), ...second.keys()])].sort();
    return names.filter((name) => first.get(name) !== second.get(name)).map((name) => ({
      what,
      name,
      values: [first.get(name), second.get(name)] as const,
    }));
  });
}

/** How long a run took, in seconds, to a tenth. */
export function secondsOf({ started, ended }: RunSummary): number | undefined {
  if (ended === undefined) return undefined;
  return Math.round((ended.getTime() - started.getTime()) / 100) / 10;
}

function textOf(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
