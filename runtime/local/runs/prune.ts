/**
 * What goes of earlier runs: only what mlcli made, of runs that have ended, and no model that a server
 * uses.
 */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { findApp } from "../../app/app.ts";
import type { Paths } from "../../app/paths.ts";
import type { ContainerSummary } from "../../docker/engine.ts";
import { lstatIfThere, removeIfThere, removeTreeIfThere } from "../../files.ts";
import { LABELS } from "../../contract/images.ts";
import { movingModel } from "../../model/lock.ts";
import {
  HOSTS,
  isUnfinished,
  KEPT_CODE,
  makeInJobs,
  modelOfRun,
  outputsOfRun,
  pathsInJobs,
  PIN,
  runDirectoryOf,
  UNPACKED,
} from "../../model/runs.ts";
import { currentRun } from "../../model/versions.ts";
import { isOver, managed } from "../container/managed.ts";
import type { Host } from "../jobs.ts";
import { KEPT_RECORDS, RECORD_FILES, recordsOf, type RunSummary } from "../../model/records.ts";
import { modelLimits, modelsToRemove, withModels } from "../../model/kept_models.ts";
import { type PersonSettings, personSettings } from "../../person.ts";
import { listed } from "../../text.ts";

/**
 * Removes models and records beyond the limits. Errors are ignored: pruning must not fail the run that
 * triggered it.
 */
export async function prune(
  layout: Paths,
  host: Pick<Host, "engine" | "messages" | "env" | "interruption">,
): Promise<void> {
  try {
    const settings = personSettings(host.env);
    const app = await findApp(layout.directory, layout.appName);
    const metric = app.configuration.metricDefinitions[0]?.name;
    const { models, records } = await oldOf(layout, metric, settings, []);
    const isNone = records.length === 0 && models.length === 0 &&
      (await pathsInJobs(layout, UNPACKED)).length === 0;
    if (isNone) return;
    // The best model might be from a run before the metric was defined.
    if (models.length > 0) {
      await (await import("../metrics/earlier.ts")).measureEarlierRuns(app, host);
    }
    const gone = await movingModel(layout, host, async () => {
      const servers = await (await host.engine()).listContainers([LABELS.role]);
      // A model might have been pinned or served before the lock was acquired.
      return await removeOld(layout, await oldOf(layout, metric, settings, servers), servers);
    });
    if (gone.length === 0) return;
    const hint = "To keep a model: mlcli local keep RUN. To keep more models: " +
      "mlcli config set keep_models NUMBER, or mlcli config set keep_models_size SIZE";
    const { keep_models: most, keep_models_size: size } = modelLimits(settings);
    const limits = `mlcli keeps at most ${most} models, ${size} in total`;
    host.messages.warning(`Removed the model of ${listed(gone)} (${limits})`, hint);
  } catch {
    // Another command removed it, a setting is invalid, or a file cannot be removed.
  }
}

/** Names of runs whose models, or records, exceed the limits. */
interface OldRuns {
  readonly models: readonly string[];
  readonly records: readonly string[];
}

async function removeOld(
  layout: Paths,
  { models, records }: OldRuns,
  servers: readonly ContainerSummary[],
): Promise<readonly string[]> {
  for (const name of models) {
    // So that no half of it is ever taken for a model.
    const to = join(await makeInJobs(layout, UNPACKED), name);
    await Deno.rename(modelOfRun(layout, name), to);
  }
  await removeUnusedModels(await pathsInJobs(layout, UNPACKED), servers);
  await Deno.remove(join(layout.jobs, UNPACKED)).catch(() => {});
  for (const name of records) await removeRecord(layout, name);
  if (records.length > 0) await removeUnusedCode(layout);
  return models;
}

async function oldOf(
  layout: Paths,
  metric: string | undefined,
  settings: PersonSettings,
  servers: readonly ContainerSummary[],
): Promise<OldRuns> {
  const all = await withModels(layout, await recordsOf(layout));
  const ended: RunSummary[] = [];
  for (const run of all) {
    const isEnded = run.status !== "InProgress" && !await isUnfinished(layout, run.name);
    if (isEnded) ended.push(run);
  }
  const hasModel = ({ modelBytes }: RunSummary): boolean => modelBytes !== undefined;
  const used = new Set([...modelsOf(servers), await currentRun(layout) ?? ""]);
  const models = modelsToRemove(ended.filter(hasModel), used, metric, settings);
  const last = all.slice(0, KEPT_RECORDS);
  const records = ended.filter((run) =>
    !last.includes(run) && !run.pinned && (!hasModel(run) || models.includes(run.name))
  ).map(({ name }) => name);
  return { models, records };
}

/** The runs whose models servers use. */
function modelsOf(servers: readonly ContainerSummary[]): ReadonlySet<string> {
  return new Set(
    servers.filter((server) => managed(server) !== undefined && !isOver(server))
      .map(({ Labels }) => Labels[LABELS.model] ?? ""),
  );
}

/**
 * Removes old models, and the directories into which archives were unpacked for servers whose containers
 * are gone: mlcli was killed, or did not remove them.
 */
async function removeUnusedModels(
  paths: readonly string[],
  servers: readonly ContainerSummary[],
): Promise<void> {
  // An engine in a virtual machine may know them by other paths, with the same name at the end.
  const used = servers.flatMap(({ Mounts = [] }) => Mounts.map(({ Source }) => basename(Source)));
  for (const path of paths) if (!used.includes(basename(path))) await removeTreeIfThere(path);
}

/** Removes the code that no run has whose record is kept. */
async function removeUnusedCode(layout: Paths): Promise<void> {
  const used = new Set((await recordsOf(layout)).map(({ code }) => `${code}.tar.gz`));
  for (const path of await pathsInJobs(layout, KEPT_CODE)) {
    const isOurs = /^[0-9a-f]{32}\.tar\.gz$/.test(basename(path));
    if (isOurs && !used.has(basename(path))) await removeIfThere(path);
  }
}

/** Removes what mlcli wrote, with outputs that nobody moved, and the directory if nothing else is in it. */
async function removeRecord(layout: Paths, run: string): Promise<void> {
  const directory = runDirectoryOf(layout, run);
  // A person was told to take what its hosts wrote.
  if (await lstatIfThere(join(directory, HOSTS)) !== undefined) return;
  await removeTreeIfThere(outputsOfRun(layout, run));
  const { document, values, log } = RECORD_FILES;
  // The document last: without it, nobody knows whose the rest is.
  const files = [PIN, log, values, document].flatMap((file) => [`${file}.part`, file]);
  for (const file of files) await removeIfThere(join(directory, file));
  await Deno.remove(directory).catch(() => {});
}
