/** `local list-jobs`: the runs of an app on this machine, and what differs between them. */

import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { requireInside } from "../../app/confinement.ts";
import { typedPath } from "../../app/typed_path.ts";
import { UsageError } from "../../errors.ts";
import { lstatIfThere } from "../../files.ts";
import { withModels } from "../../model/kept_models.ts";
import {
  KEPT_RECORDS,
  RECORD_FILES,
  recordsOf,
  runCalled,
  type RunSummary,
} from "../../model/records.ts";
import { keptCode, modelOfRun, outputsOfRun, runDirectoryOf } from "../../model/runs.ts";
import { currentRun } from "../../model/versions.ts";
import { inOneLine } from "../../text.ts";
import type { CodeChange } from "./code_changes.ts";

/**
 * Returns the runs of an app, the newest first.
 *
 * @throws MlcliError if the records lie outside of the app's repository.
 */
export async function listRuns(app: App): Promise<readonly RunSummary[]> {
  const layout = app.paths;
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
  return await withModels(layout, await recordsOf(layout));
}

/** A run, and where the rest of it lies, as the user would type that; `null`: it has none. */
export interface WholeRun {
  readonly run: RunSummary;
  readonly places: Readonly<Record<"log" | "model" | "outputs" | "source", string | null>>;
}

/**
 * Finds one run.
 *
 * @param typed its name, its short name, its place in the list, or `last`.
 * @throws UsageError if no run has that name.
 */
export async function wholeRun(
  app: App,
  typed: string,
  all?: readonly RunSummary[],
): Promise<WholeRun> {
  const layout = app.paths;
  const run = findRun(all ?? await listRuns(app), typed);
  const isCurrent = await currentRun(layout) === run.name;
  const directory = runDirectoryOf(layout, run.name);
  const place = async (path: string | undefined): Promise<string | null> =>
    path && await lstatIfThere(path) ? typedPath(layout, path) : null;
  return {
    run,
    places: {
      log: await place(join(directory, RECORD_FILES.log)),
      model: await place(isCurrent ? layout.model : modelOfRun(layout, run.name)),
      outputs: await place(outputsOfRun(layout, run.name)),
      source: await place(await keptCode(layout, run.code)),
    },
  };
}

/** Several runs, and what differs between them. */
export interface Comparison {
  readonly runs: readonly RunSummary[];
  readonly differences: readonly RunDifference[];
  /** `undefined` if the code of a run is not kept, or if there are more than two runs. */
  readonly code: readonly CodeChange[] | undefined;
}

/**
 * Compares two or more runs. Only the code of two is compared file by file.
 *
 * @param typed as `wholeRun` takes it.
 * @throws UsageError if no run has one of the names.
 */
export async function compareRuns(
  app: App,
  typed: readonly string[],
  signal: AbortSignal,
  all?: readonly RunSummary[],
): Promise<Comparison> {
  const found = all ?? await listRuns(app);
  const runs = typed.map((one) => findRun(found, one));
  const differences = runDifferences(runs);
  const [one, other] = runs.map(({ code }) => code);
  if (runs.length > 2) return { runs, differences, code: undefined };
  if (one === other) return { runs, differences, code: [] };
  const { codeChanges } = await import("./code_changes.ts");
  return { runs, differences, code: await codeChanges(app.paths, [one, other], signal) };
}

export function findRun(runs: readonly RunSummary[], typed: string): RunSummary {
  const found = runCalled(runs, typed) ?? (typed === "last" ? runs[0] : undefined);
  if (found === undefined) throw noSuchRun(typed);
  return found;
}

export function noSuchRun(typed: string): UsageError {
  return new UsageError(`Run "${inOneLine(typed)}" does not exist`, {
    hint: `List the last ${KEPT_RECORDS} runs: mlcli local list-jobs`,
  });
}

/** Something that differs; `undefined` where a run does not have it. */
export interface RunDifference {
  /** `hyperparameter`, `package`, ... */
  readonly what: string;
  /** Its name; empty where there is only one of its kind. */
  readonly name: string;
  /** One for each run, in their order. */
  readonly values: readonly (string | undefined)[];
}

type Values = Readonly<Record<string, string | undefined>>;

/** Returns what differs between runs, the results last. */
export function runDifferences(runs: readonly RunSummary[]): readonly RunDifference[] {
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
    ["commit", ({ commit }) => ({ "": commit?.slice(0, 12) })],
    // Data that is known of all runs: one channel more is a difference of the channels.
    ["data", ({ data }) =>
      Object.fromEntries(
        Object.entries(data).filter(([name]) => runs.every((run) => Object.hasOwn(run.data, name)))
          .map(
            ([name, { files, bytes, hash, by }]) => [
              name,
              `files ${files}, bytes ${bytes}, hash ${hash.slice(0, 12)}, by ${by}`,
            ],
          ),
      )],
    ["package", ({ packages }) => runs.every((run) => run.packages) ? packages ?? {} : {}],
    ["status", ({ status }) => ({ "": status })],
    ["exit status", ({ exitStatus }) => ({ "": exitStatus?.toString() })],
    ["seconds", (run) => ({ "": secondsOf(run)?.toString() })],
    ["metric", ({ metrics }) => {
      return Object.fromEntries(
        Object.entries(metrics).map(([name, { last }]) => [name, String(last)]),
      );
    }],
  ];
  return rows.flatMap(([what, valuesOf]) => {
    const each = runs.map((run) => new Map(Object.entries(valuesOf(run))));
    const names = [...new Set(each.flatMap((values) => [...values.keys()]))].sort();
    return names.map((name) => ({ what, name, values: each.map((values) => values.get(name)) }))
      .filter(({ values }) => new Set(values).size > 1);
  });
}

/** How long a run took, in seconds, to a tenth. */
export function secondsOf({ started, ended }: RunSummary): number | undefined {
  if (ended === undefined) return undefined;
  return Math.round((ended.getTime() - started.getTime()) / 100) / 10;
}
