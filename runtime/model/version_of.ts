/** Which version of the model a name means. */

import { holdsFile, type Layout } from "../app/layout.ts";
import { MlcliError } from "../errors.ts";
import { lstatIfThere } from "../files.ts";
import { inOneLine, listed } from "../text.ts";
import { recordsOf, runCalled } from "./records.ts";
import { modelOfRun, runNames } from "./runs.ts";
import { currentRun } from "./versions.ts";

/** How many runs keep their model, the current one included. */
export const KEPT_MODELS = 3;

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
 * @param typed its name, its place in the list of runs, or `last`: the newest that has a model and did
 * not fail.
 * @throws MlcliError where it has none.
 */
export async function versionOf(layout: Layout, typed: string): Promise<Version> {
  const current = await currentRun(layout);
  const meant = await runsMeant(layout, typed);
  for (const run of meant) {
    const model = await modelOf(layout, run, current);
    if (model !== undefined) return { run, model };
  }
  const others = await runsWithModel(layout);
  const name = inOneLine(meant[0] ?? typed);
  throw new MlcliError(typed === "last" ? "No run has a model" : `No model of run ${name}`, {
    hint: others.length > 0
      ? `The last ${KEPT_MODELS} runs that made one keep it: ${listed(others)}.`
      : "mlcli local train makes one.",
  });
}

async function runsMeant(layout: Layout, typed: string): Promise<readonly string[]> {
  if (typed === "last") return await goodRuns(layout);
  // One without a record may have a model, too.
  if (runNames(layout).includes(typed)) return [typed];
  const run = runCalled(await recordsOf(layout), typed);
  return run === undefined ? [] : [run.name];
}

/** The names of runs that have a model and did not fail, the newest first. */
export async function runsWithModel(layout: Layout): Promise<readonly string[]> {
  const current = await currentRun(layout);
  const names = await goodRuns(layout);
  const models = await Promise.all(names.map((run) => modelOf(layout, run, current)));
  return names.filter((_, index) => models[index] !== undefined);
}

async function modelOf(
  layout: Layout,
  run: string,
  current: string | undefined,
): Promise<string | undefined> {
  const model = run === current ? layout.model : modelOfRun(layout, run);
  // A link may lead anywhere.
  const isHere = run === current || (await lstatIfThere(model))?.isDirectory;
  return isHere && await holdsFile(layout, model, model) ? model : undefined;
}

/** The names of runs that did not fail, the newest first. */
async function goodRuns(layout: Layout): Promise<readonly string[]> {
  const records = await recordsOf(layout);
  const good: readonly string[] = ["Completed", "Stopped", "Downloaded"];
  return records.filter(({ status }) => good.includes(status)).map(({ name }) => name);
}
