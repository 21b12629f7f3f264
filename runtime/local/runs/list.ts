/** `local list-jobs`: the runs of an app on this machine, and what differs between two of them. */

import type { App } from "../../app/app.ts";
import { requireInside } from "../../app/confinement.ts";
import { holdsFile, type Layout, layoutOf } from "../../app/layout.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import { lstatIfThere } from "../../files.ts";
import { modelOfRun, runNames } from "../../model/runs.ts";
import { currentRun } from "../../model/versions.ts";
import { inOneLine, listed } from "../../text.ts";
import { KEPT_RECORDS } from "./prune.ts";
import { recordsOf, type RunSummary } from "./records.ts";

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

/** A version of the app's model. */
export interface Version {
  /** The run that made it; `undefined` where a person put it there. */
  readonly run: string | undefined;
  /** The directory that holds it. */
  readonly model: string;
}

/**
 * The model of a run.
 *
 * @param typed its name, or `last`: the newest that has a model and did not fail.
 * @throws MlcliError where it has none.
 */
export async function versionOf(layout: Layout, typed: string): Promise<Version> {
  const current = await currentRun(layout);
  const modelOf = async (run: string): Promise<string | undefined> => {
    const model = run === current ? layout.model : modelOfRun(layout, run);
    // A link may lead anywhere.
    const isHere = run === current || (await lstatIfThere(model))?.isDirectory;
    return isHere && await holdsFile(layout, model, model) ? model : undefined;
  };
  const names = typed === "last" ? await goodRuns(layout) : runNames(layout);
  for (const run of names) {
    const model = typed === "last" || run === typed ? await modelOf(run) : undefined;
    if (model !== undefined) return { run, model };
  }
  const others: string[] = [];
  for (const run of await goodRuns(layout)) if (await modelOf(run)) others.push(run);
  const message = typed === "last" ? "No run has a model" : `No model of run ${inOneLine(typed)}`;
  throw new MlcliError(message, {
    hint: others.length > 0
      ? `Runs that have one: ${listed(others)}.`
      : "mlcli local train makes one; without --run, the current model is served.",
  });
}

/** The names of runs that did not fail, the newest first. */
async function goodRuns(layout: Layout): Promise<readonly string[]> {
  const records = await recordsOf(layout);
  const good: readonly string[] = ["Completed", "Stopped", "Downloaded"];
  return records.filter(({ status }) => good.includes(status)).map(({ name }) => name);
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
