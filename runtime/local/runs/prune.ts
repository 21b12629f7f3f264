/**
 * What goes of earlier runs: only what mlcli made, of runs that have ended, and no model that a server
 * uses.
 */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import type { Layout } from "../../app/layout.ts";
import type { ContainerSummary, Engine } from "../../docker/engine.ts";
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
  runDirectoryOf,
  runNames,
  UNPACKED,
} from "../../model/runs.ts";
import { currentRun } from "../../model/versions.ts";
import { isOver, managed } from "../container/managed.ts";
import type { Host } from "../jobs.ts";
import { RECORD_FILES, recordsOf, type RunSummary } from "../../model/records.ts";
import { KEPT_MODELS } from "../../model/version_of.ts";
import { noteText, tell } from "../../messages.ts";
import { listed } from "../../text.ts";

/** How many records are kept. */
export const KEPT_RECORDS = 100;

/** Of those that failed, how many keep their model. */
const KEPT_FAILED = 1;

/** Removes what is old. A failure is none of the run that ends. */
export async function prune(layout: Layout, host: Pick<Host, "engine" | "err">): Promise<void> {
  try {
    const old = await oldOf(layout);
    const isNone = old.records.length === 0 && old.models.length === 0 &&
      (await pathsInJobs(layout, UNPACKED)).length === 0;
    if (isNone) return;
    const gone = await movingModel(
      layout,
      host,
      async () => await removeOld(layout, old, await host.engine()),
    );
    if (gone.length === 0) return;
    const text = `Removed the model of ${listed(gone)}: the last ${KEPT_MODELS} runs keep theirs`;
    tell(host.err, noteText(text));
  } catch {
    // Another command does the same, or somebody keeps it.
  }
}

/** The names of runs whose models, or records, are more than are kept. */
interface OldRuns {
  readonly models: readonly string[];
  readonly records: readonly string[];
}

async function removeOld(
  layout: Layout,
  { models, records }: OldRuns,
  engine: Engine,
): Promise<readonly string[]> {
  const servers = await engine.listContainers([LABELS.role]);
  const used = modelsOf(servers);
  const gone = models.filter((name) => !used.has(name));
  for (const name of gone) {
    // So that no half of it is ever taken for a model.
    const to = join(await makeInJobs(layout, UNPACKED), name);
    await Deno.rename(modelOfRun(layout, name), to);
  }
  await removeUnusedModels(await pathsInJobs(layout, UNPACKED), servers);
  await Deno.remove(join(layout.jobs, UNPACKED)).catch(() => {});
  for (const name of records) await removeRecord(layout, name);
  if (records.length > 0) await removeUnusedCode(layout);
  return gone;
}

async function oldOf(layout: Layout): Promise<OldRuns> {
  const current = await currentRun(layout);
  const names = runNames(layout);
  const infos = await Promise.all(
    names.map((name) => lstatIfThere(modelOfRun(layout, name)).catch(() => undefined)),
  );
  const haveModel = new Set(names.filter((_, index) => infos[index]?.isDirectory));
  // Reading a hundred records after each run would take longer than all else that it does.
  const all = await recordsOf(layout, names.length > KEPT_RECORDS ? names : [...haveModel]);
  const ended: RunSummary[] = [];
  for (const record of all) {
    const isEnded = record.status !== "InProgress" && !await isUnfinished(layout, record.name);
    if (isEnded && record.name !== current) ended.push(record);
  }
  const withModel = ended.filter(({ name }) => haveModel.has(name));
  // With 0, the code wrote a whole one, which had no room in its place, for example.
  const hasFailed = ({ status, exitStatus }: RunSummary): boolean =>
    status === "Failed" && exitStatus !== 0;
  // Of one that is lost, a person was told to see whether it is whole.
  const models = [
    ...withModel.filter(hasFailed).slice(KEPT_FAILED),
    ...withModel.filter((run) => !hasFailed(run) && run.status !== "Lost")
      .slice(KEPT_MODELS - (current === undefined ? 0 : 1)),
  ].map(({ name }) => name);
  const last = new Set(all.slice(0, KEPT_RECORDS));
  const records = ended.filter((run) =>
    !last.has(run) && (!withModel.includes(run) || models.includes(run.name))
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
async function removeUnusedCode(layout: Layout): Promise<void> {
  const used = new Set((await recordsOf(layout)).map(({ code }) => `${code}.tar.gz`));
  for (const path of await pathsInJobs(layout, KEPT_CODE)) {
    const isOurs = /^[0-9a-f]{32}\.tar\.gz$/.test(basename(path));
    if (isOurs && !used.has(basename(path))) await removeIfThere(path);
  }
}

/** Removes what mlcli wrote, with outputs that nobody moved, and the directory if nothing else is in it. */
async function removeRecord(layout: Layout, run: string): Promise<void> {
  const directory = runDirectoryOf(layout, run);
  // A person was told to take what its hosts wrote.
  if (await lstatIfThere(join(directory, HOSTS)) !== undefined) return;
  await removeTreeIfThere(outputsOfRun(layout, run));
  const { document, values, log } = RECORD_FILES;
  // The document last: without it, nobody knows whose the rest is.
  const files = [log, values, document].flatMap((file) => [`${file}.part`, file]);
  for (const file of files) await removeIfThere(join(directory, file));
  await Deno.remove(directory).catch(() => {});
}
