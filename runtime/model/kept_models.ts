/** Which models of an app's runs are kept, and what a run's directory tells of its model. */

import { join } from "@std/path/join";
import type { Paths } from "../app/paths.ts";
import { lstatIfThere, removeIfThere } from "../files.ts";
import type { PersonSettings } from "../person.ts";
import { bytesIn } from "../quantities.ts";
import { recordOf, type RunSummary } from "./records.ts";
import { PIN, runDirectoryOf } from "./runs.ts";
import { modelOf } from "./version_of.ts";
import { currentRun } from "./versions.ts";

/** Returns how many models of an app mlcli keeps, and their total size. */
export function modelLimits(
  { keep_models = "10", keep_models_size = "10GB" }: PersonSettings,
): Required<Pick<PersonSettings, "keep_models" | "keep_models_size">> {
  return { keep_models, keep_models_size };
}

/**
 * Returns the names of the runs whose models mlcli removes.
 *
 * @param runs ended ones with a model, the newest first.
 * @param used names of the runs whose model is the current one, or is served.
 * @param metric name of the app's first metric definition.
 */
export function modelsToRemove(
  runs: readonly RunSummary[],
  used: ReadonlySet<string>,
  metric: string | undefined,
  settings: PersonSettings,
): readonly string[] {
  const { keep_models, keep_models_size } = modelLimits(settings);
  // If the end of a run is unknown, its user was told to decide about its model.
  const counted = runs.filter(({ pinned, status }) => !pinned && status !== "Lost");
  const [good, failed] = [counted.filter(isComplete), counted.filter((run) => !isComplete(run))];
  const never = [...bestRuns(runs.filter(isComplete), metric), counted[0], good[0]];
  const canGo = (run: RunSummary): boolean => !never.includes(run) && !used.has(run.name);
  const gone = [...good.slice(Number(keep_models)), ...failed.slice(1)].filter(canGo);
  let excess = sizeOf(counted) - sizeOf(gone) - bytesIn(keep_models_size)!;
  for (const run of counted.toReversed()) {
    if (excess <= 0) break;
    const { modelBytes = 0 } = run;
    // A model that cannot be read counts as empty: removing it might free nothing.
    if (modelBytes === 0 || gone.includes(run) || !canGo(run)) continue;
    gone.push(run);
    excess -= modelBytes;
  }
  return gone.map(({ name }) => name);
}

function sizeOf(runs: readonly RunSummary[]): number {
  return runs.reduce((bytes, { modelBytes = 0 }) => bytes + modelBytes, 0);
}

/** A run that exits with 0 fails without `--strict` if its complete model cannot be moved (full disk). */
function isComplete({ status, exitStatus, options }: RunSummary): boolean {
  return status !== "Failed" || exitStatus === 0 && options["strict"] === undefined;
}

/** Returns the runs with the lowest and the highest last value of a metric. */
function bestRuns(runs: readonly RunSummary[], metric = ""): readonly RunSummary[] {
  const valueOf = ({ metrics }: RunSummary): number => metrics[metric]?.last ?? NaN;
  const values = runs.map(valueOf).filter(Number.isFinite);
  return [Math.min(...values), Math.max(...values)]
    .flatMap((value) => runs.find((run) => valueOf(run) === value) ?? []);
}

/** Returns a warning if the run that made a model failed. */
export async function failedRunWarning(layout: Paths, run: string): Promise<string | undefined> {
  const record = await recordOf(layout, run);
  if (record === undefined || isComplete(record)) return undefined;
  return `Run ${run} failed, so its model might be incomplete`;
}

/** Pins the model of a run, or releases it. @throws Error of the system. */
export async function pinModel(layout: Paths, run: string, isPinned: boolean): Promise<void> {
  const pin = join(runDirectoryOf(layout, run), PIN);
  await removeIfThere(pin);
  if (isPinned) await Deno.writeTextFile(pin, "", { createNew: true });
}

/** Returns the runs with what is known of their models. */
export async function withModels(
  layout: Paths,
  runs: readonly RunSummary[],
): Promise<readonly RunSummary[]> {
  const current = await currentRun(layout);
  return await Promise.all(runs.map(async (run) => {
    const path = join(runDirectoryOf(layout, run.name), PIN);
    const pin = await lstatIfThere(path).catch(() => undefined);
    const isEnded = run.status !== "InProgress";
    const model = isEnded ? await modelOf(layout, run.name, current) : undefined;
    const modelBytes = model === undefined ? undefined : bytesBelow(model);
    // A link that a repository brings pins nothing.
    return { ...run, pinned: pin?.isFile ?? false, modelBytes };
  }));
}

/** Returns the bytes that a directory takes on the disk. What cannot be read counts as empty. */
function bytesBelow(folder: string): number {
  try {
    return [...Deno.readDirSync(folder)].reduce((bytes, { name, isDirectory }) => {
      const path = join(folder, name);
      if (isDirectory) return bytes + bytesBelow(path);
      const { size, blocks } = Deno.lstatSync(path);
      // A sparse file takes less than its size.
      return bytes + (blocks === null ? size : Math.min(size, blocks * 512));
    }, 0);
  } catch {
    return 0;
  }
}
