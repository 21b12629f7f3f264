/** Which version of the model a name means. */

import type { Paths } from "../app/paths.ts";
import { MlcliError } from "../errors.ts";
import { lstatIfThere } from "../files.ts";
import { inOneLine, listed } from "../text.ts";
import { recordsOf, runCalled, type RunSummary } from "./records.ts";
import { modelOfRun, runNames } from "./runs.ts";
import { currentRun, hasFile } from "./versions.ts";

/** A version of the app's model. */
export interface Version {
  /** The run that made it; `undefined` where a person put it there. */
  readonly run: string | undefined;
  /** The directory that holds it. */
  readonly model: string;
}

/**
 * Returns the model of a run.
 *
 * @param typed its name, its place in the list of runs, or `last`: the newest that has a model and did
 * not fail.
 * @throws MlcliError if it has none.
 */
export async function versionOf(
  layout: Paths,
  typed: string,
): Promise<Version & { readonly run: string }> {
  const run = await runMeant(layout, typed);
  const model = run && await modelOf(layout, run, await currentRun(layout));
  if (run && model) return { run, model };
  const others = (await recordsWithModel(layout))
    .map(({ name, status }) => status === "Failed" ? `${name} (failed)` : name);
  const message = typed === "last"
    ? "No successful run has a model"
    : run === undefined
    ? `Run "${inOneLine(typed)}" does not exist`
    : `Run ${inOneLine(run)} has no model: the run wrote none, or mlcli removed it to save space`;
  throw new MlcliError(message, {
    hint: others.length > 0
      ? `Choose a run that has a model: ${listed(others, MOST_LISTED)}`
      : "Train a model: mlcli local train",
  });
}

/** How many runs an error lists: more than keep their model by default. */
const MOST_LISTED = 20;

async function runMeant(layout: Paths, typed: string): Promise<string | undefined> {
  if (typed === "last") return (await runsWithModel(layout))[0];
  // A run without a record can have a model.
  if (runNames(layout).includes(typed)) return typed;
  return runCalled(await recordsOf(layout), typed)?.name;
}

/** Returns the names of runs that have a model and did not fail, the newest first. */
export async function runsWithModel(layout: Paths): Promise<readonly string[]> {
  const good: readonly string[] = ["Completed", "Stopped", "Downloaded"];
  const records = await recordsWithModel(layout);
  return records.filter(({ status }) => good.includes(status)).map(({ name }) => name);
}

/** Returns the records of ended runs that have a model, the newest first. */
async function recordsWithModel(layout: Paths): Promise<readonly RunSummary[]> {
  const current = await currentRun(layout);
  const ended = (await recordsOf(layout)).filter(({ status }) => status !== "InProgress");
  const models = await Promise.all(ended.map(({ name }) => modelOf(layout, name, current)));
  return ended.filter((_, index) => models[index] !== undefined);
}

/** Returns the directory with the model of a run; `undefined`: it has none. */
export async function modelOf(
  layout: Paths,
  run: string,
  current: string | undefined,
): Promise<string | undefined> {
  const model = run === current ? layout.model : modelOfRun(layout, run);
  // A link may lead anywhere.
  const isHere = run === current || (await lstatIfThere(model))?.isDirectory;
  return isHere && await hasFile(layout, model) ? model : undefined;
}
