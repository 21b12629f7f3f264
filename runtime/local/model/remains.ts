/**
 * The model directories that earlier runs left: what they began is finished, what nobody uses goes,
 * and what nobody knows the worth of is named.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { imageReference } from "../../app/app.ts";
import { holdsFile, type Layout, layoutOf } from "../../app/layout.ts";
import { shellWord, typedPath } from "../../app/typed_path.ts";
import type { Difference } from "../../contract/differences.ts";
import { isJobName } from "../../contract/names.ts";
import { type ContainerSummary, type Engine, namesOf } from "../../docker/engine.ts";
import { lstatIfThere, removeTreeIfThere } from "../../files.ts";
import { LABELS } from "../../contract/images.ts";
import { isAbandoned, managed } from "../container/managed.ts";
import type { Host, LocalJob } from "../jobs.ts";
import {
  idOf,
  type IsUsed,
  MODEL_PREFIX,
  modelFolderOf,
  removeUnused,
  settleModel,
} from "../../model/folder.ts";
import { finishReplacements, modelFolders, replacedBy } from "../../model/replacements.ts";
import { isRunOver } from "../../model/runs.ts";
import { completeRecord, recordOfContainer } from "../record/of_container.ts";
import { giveToCaller, ownersBefore } from "../ownership.ts";
import { OVER } from "../run_folder.ts";
import type { Server } from "../server/servers.ts";
import { noteText, tell, warningText } from "../../messages.ts";

/**
 * Sees to the model directories of the app, and tells the user what became of them. Where there are
 * none, which is nearly always, this asks for nothing.
 */
export async function settleRemains(
  job: LocalJob,
  host: Pick<Host, "engine" | "caller" | "interruption" | "err">,
): Promise<void> {
  const layout = layoutOf(job.app);
  const names = await finishReplacements(layout);
  if (names.length === 0) return;
  const engine = await host.engine();
  const containers = await engine.listContainers([LABELS.role], host.interruption.signal);
  await removeUnusedModels(layout, containers);
  for (const run of names.filter((name) => isJobName(name, layout.appName, "train"))) {
    const container = containers.find((summary) => namesOf(summary).includes(run));
    const said = container === undefined
      ? await nameModel(job, run, host)
      : await adopt(job, run, container, engine, host);
    if (said !== undefined) tell(host.err, said);
  }
}

/** Whether one of the servers uses a directory, by its id. */
export function usedBy(containers: readonly ContainerSummary[]): IsUsed {
  const used = new Set(
    containers.filter((summary) =>
      managed(summary)?.role === "serve" && !OVER.includes(summary.State)
    ).map(({ Labels }) => Labels[LABELS.model]),
  );
  return (id) => Promise.resolve(used.has(id));
}

/** The same, asked when it is needed. */
export function usedOn(engine: Engine): IsUsed {
  return async (id) => await usedBy(await engine.listContainers([`${LABELS.role}=serve`]))(id);
}

/** Removes the directories that were replaced and that no server uses. */
async function removeUnusedModels(
  layout: Layout,
  containers: readonly ContainerSummary[],
): Promise<void> {
  const { testDirectory } = layout;
  for (const name of await modelFolders(testDirectory)) {
    const run = replacedBy(layout, name);
    // A run that is at it has no `model` at that moment.
    const isDone = run !== undefined && await isRunOver(layout, run);
    if (!isDone && !await isForgotten(testDirectory, name)) continue;
    await removeUnused(join(testDirectory, MODEL_PREFIX + name), usedBy(containers));
  }
}

/** From this age (ms) on, a directory of no server counts as forgotten; before, one may come. */
const FORGOTTEN_AFTER = 600_000;

/** Whether a directory was unpacked for a server that did not come to be. */
async function isForgotten(testDirectory: string, name: string): Promise<boolean> {
  if (!/^mlcli-.+-serve-\d+-[0-9a-f]{8}$/.test(name)) return false;
  const info = await lstatIfThere(join(testDirectory, MODEL_PREFIX + name));
  return Date.now() - (info?.mtime?.getTime() ?? Date.now()) > FORGOTTEN_AFTER;
}

/**
 * Removes the directory of a model that a server used, if it is not the app's `model` any more. (An
 * engine in a virtual machine may know it by another path: then the app's next command does.)
 *
 * @param server whose container is removed.
 */
export async function releaseModel(
  { modelFolder, modelId }: Pick<Server, "modelFolder" | "modelId">,
  engine: Engine,
): Promise<void> {
  const testDirectory = dirname(modelFolder ?? "");
  if (modelId === "" || basename(testDirectory) !== "test_dir") return;
  const names = await modelFolders(testDirectory).catch(() => []);
  for (const path of names.map((name) => join(testDirectory, MODEL_PREFIX + name))) {
    if (await idOf(path) === modelId) await removeUnused(path, usedOn(engine));
  }
}

/** A run whose container is still there: of one that has ended, the engine knows how. */
async function adopt(
  job: LocalJob,
  run: string,
  container: ContainerSummary,
  engine: Engine,
  host: Pick<Host, "engine" | "caller" | "interruption" | "err">,
): Promise<string | undefined> {
  const layout = layoutOf(job.app);
  const isOurs = managed(container)?.name === run;
  if (isOurs && await isAbandoned(container) && await isRunOver(layout, run)) {
    // It never began, so it wrote nothing.
    await engine.removeContainer(container.Id);
    return void await removeTreeIfThere(modelFolderOf(layout, run)).catch(() => {});
  }
  const isOver = ["exited", "dead"].includes(container.State) && await isRunOver(layout, run);
  if (!isOurs || !isOver) return;
  const folder = modelFolderOf(layout, run);
  const waiting = new AbortController();
  const status = await (await engine.wait(container.Id, "not-running", waiting.signal)).status;
  await giveModelToCaller(job, folder, host);
  const ending = status === 0 ? "succeeded" : "failed";
  const { difference, note } = await settleModel(layout, folder, ending, usedOn(engine));
  await completeRecord(layout, run, {
    status: status === 0 ? "Completed" : "Failed",
    exit_status: status,
    reason: status === 0 ? null : "It ended after mlcli was killed",
  });
  await engine.removeContainer(container.Id);
  const model = typedPath(layout.directory, layout.model);
  const where = note ?? inOne(difference) ??
    (ending === "succeeded" ? `its model is in ${model} now` : "it wrote no model");
  return noteText(
    `A training went on after mlcli was killed, and ended with exit status ${status}: ${where}`,
  );
}

function inOne(difference: Difference | undefined): string | undefined {
  return difference && `${difference.message}. ${difference.hint.replace(/\.$/, "")}`;
}

/** Gives what the run wrote to the caller, as its mlcli would have. */
async function giveModelToCaller(
  { app, tag }: LocalJob,
  folder: string,
  host: Pick<Host, "engine" | "caller" | "interruption" | "err">,
): Promise<void> {
  const { caller, err } = host;
  const owners = await ownersBefore([folder], caller, true);
  // A run's directory is made by the caller; another's may hold what is not the caller's.
  if ((await lstatIfThere(folder))?.uid !== caller?.uid) return;
  for (const text of await giveToCaller(imageReference(app, tag), owners, host)) tell(err, text);
}

/**
 * A run of which nobody knows how it ended, or whose model had no room in its place: whoever started it
 * decides.
 */
async function nameModel(
  job: LocalJob,
  run: string,
  host: Pick<Host, "engine" | "caller" | "interruption" | "err">,
): Promise<string | undefined> {
  const layout = layoutOf(job.app);
  const folder = modelFolderOf(layout, run);
  if (!await isRunOver(layout, run)) return;
  if (!await holdsFile(layout, folder, folder).catch(() => true)) {
    return void await removeTreeIfThere(folder).catch(() => {});
  }
  await giveModelToCaller(job, folder, host);
  const [path, model] = [folder, layout.model].map((path) =>
    shellWord(typedPath(layout.directory, path))
  );
  const status = (await recordOfContainer(layout, run))?.exitStatus;
  const what = status === undefined
    ? "Nobody saw the end of a training, so how that ended is not known: its model is in "
    : `A training ended with exit status ${status}, and its model has not got its place: it is in `;
  return warningText(
    what + typedPath(layout.directory, folder),
    `If it is whole: rm -r ${model} && mv ${path} ${model}. If not: rm -r ${path}`,
  );
}
