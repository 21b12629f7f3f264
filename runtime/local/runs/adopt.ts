/**
 * Runs of an app whose mlcli was killed: finishes their work, removes what is not needed, and names results
 * of unknown value.
 */

import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { holdsFile } from "../../app/layout.ts";
import type { Paths } from "../../app/paths.ts";
import { shellWord, typedPath } from "../../app/typed_path.ts";
import { isElsewhere } from "../../app/image.ts";
import { isAbandoned, removeAbandoned } from "../../docker/abandoned.ts";
import type { ContainerSummary, Engine } from "../../docker/engine.ts";
import { EngineError } from "../../docker/errors.ts";
import { lstatIfThere, removeIfThere, removeTreeIfThere } from "../../files.ts";
import { MlcliError } from "../../errors.ts";
import { LABELS } from "../../contract/images.ts";
import { type Message, warning } from "../../messages.ts";
import { HOSTS, modelOfRun, outputsOfRun, runDirectoryOf, WRITTEN } from "../../model/runs.ts";
import { isOwnerAlive } from "../../owner.ts";
import { pruneNetworks } from "../hosts/network.ts";
import { currentRun, type Settled, settleModel } from "../../model/versions.ts";
import { managed } from "../container/managed.ts";
import type { Host, LocalJob } from "../jobs.ts";
import { giveToCaller, ownersBefore } from "../ownership.ts";
import { completeRecord, recordOf, type RunSummary } from "../../model/records.ts";
import { sentences } from "../../text.ts";
import { keepOutputs } from "./outputs.ts";
import { clearRun, workingFolders } from "./run.ts";

export type AdoptHost = Pick<Host, "engine" | "caller" | "interruption" | "messages">;

/** Handles runs whose mlcli was killed, and tells the user about them. */
export async function adoptRuns(
  job: LocalJob,
  names: readonly string[],
  host: AdoptHost,
): Promise<void> {
  const engine = await host.engine();
  try {
    const containers = await engine.listContainers([LABELS.role], host.interruption.signal);
    await removeAbandoned(engine, containers);
    for (const name of names) {
      const said = await settleRun(job, name, containers, engine, host);
      if (said !== undefined) host.messages.tell([said]);
    }
  } catch (error) {
    // An engine's refusal for an earlier run must not fail this one.
    if (!(error instanceof EngineError)) throw error;
  }
}

/** @returns messages about the run. */
async function settleRun(
  job: LocalJob,
  name: string,
  containers: readonly ContainerSummary[],
  engine: Engine,
  host: AdoptHost,
): Promise<Message | undefined> {
  const layout = job.app.paths;
  const directory = runDirectoryOf(layout, name);
  const record = await recordOf(layout, name);
  // All was done but this.
  if (record?.ended !== undefined) return void await clearRun(directory).catch(() => {});
  if ((await lstatIfThere(join(directory, HOSTS)))?.isDirectory) {
    return await endHosts(job, name, record, containers, engine, host);
  }
  const model = modelOfRun(layout, name);
  const outputs = outputsOfRun(layout, name);
  const isEmpty = async (): Promise<boolean> =>
    !await holdsFile(layout, model, model) && !await holdsFile(layout, outputs, outputs);
  // It never began: no container was made for it. (Or its record was lost, on a full disk or without power.)
  if (record === undefined && await isEmpty().catch(() => false)) {
    return void await removeTreeIfThere(directory).catch(() => {});
  }
  const container = record && containerOf(record, containers, job.app);
  if (container !== undefined && await isAbandoned(container)) {
    await engine.removeContainer(container.Id);
    return void await removeTreeIfThere(directory).catch(() => {});
  }
  if (record?.kind === "transform") return await endTransform(layout, record, container, engine);
  if (container !== undefined && !["exited", "dead"].includes(container.State)) return;
  // A link may lead anywhere.
  for (const path of [model, outputs]) {
    if (!(await lstatIfThere(path))?.isDirectory) await removeIfThere(path);
  }
  await handOverToCaller(job, [model, outputs, ...await workingFolders(directory)], host);
  const said = container === undefined || record === undefined
    ? await nameResults(layout, name)
    : await adopt(layout, record, container, engine, host);
  await clearRun(directory).catch(() => {});
  return said;
}

/** Removes the server of a killed batch transform, because no client uses it. */
async function endTransform(
  layout: Paths,
  { name, container: shown }: RunSummary,
  container: ContainerSummary | undefined,
  engine: Engine,
): Promise<Message> {
  if (container !== undefined) await engine.removeContainer(container.Id);
  const reason = "mlcli was killed";
  await completeRecord(layout, name, { status: "Failed", exit_status: null, reason });
  await clearRun(runDirectoryOf(layout, name)).catch(() => {});
  return note(`Removed ${shown}: its batch transform was interrupted because mlcli was killed`);
}

/**
 * Stops the hosts of a run without the mlcli that ends them together: a host that waits for another would
 * never end.
 *
 * @param record `undefined`: the run never began, or its record is lost.
 */
async function endHosts(
  job: LocalJob,
  name: string,
  record: RunSummary | undefined,
  containers: readonly ContainerSummary[],
  engine: Engine,
  host: AdoptHost,
): Promise<Message | undefined> {
  const layout = job.app.paths;
  const directory = runDirectoryOf(layout, name);
  for (const container of containers) {
    if (await isLeftHost(container, job.app)) await engine.removeContainer(container.Id);
  }
  await pruneNetworks(engine);
  const hosts = join(directory, HOSTS);
  // A repository might contain links.
  const written = Array.from(Deno.readDirSync(hosts)).filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => join(hosts, name, WRITTEN));
  const model = modelOfRun(layout, name);
  await handOverToCaller(job, [...written, model], host);
  await clearRun(directory).catch(() => {});
  const ended = "mlcli was killed during a run on several hosts";
  if (!await holdsFile(layout, hosts, hosts).catch(() => true)) {
    await removeTreeIfThere(hosts).catch(() => {});
    const said = await nameResults(layout, name);
    if (record === undefined && said === undefined) await removeTreeIfThere(directory);
    return said ?? note(ended);
  }
  await completeRecord(layout, name, { status: "Lost", exit_status: null, reason: null });
  const places = [hosts, ...await holdsFile(layout, model, model).catch(() => true) ? [model] : []]
    .map((path) => typedPath(layout, path));
  return warning(
    `${ended}; the hosts' files are in ${places.join(" and ")}`,
    `Copy the complete files, then remove the rest: rm -r ${places.map(shellWord).join(" ")}`,
  );
}

/** Whether a container is a host of a run of the app whose mlcli was killed. */
async function isLeftHost(container: ContainerSummary, { name, mark }: App): Promise<boolean> {
  const run = managed(container);
  const { [LABELS.directory]: directory, [LABELS.owner]: owner = "" } = container.Labels;
  return run !== undefined && run.appName === name && directory === mark &&
    /-algo-\d+$/.test(run.name) && await isOwnerAlive(owner) === false;
}

/**
 * The container of a run. A record may name anything as its container: it counts only if it is a run of
 * this app.
 */
function containerOf(
  { container }: RunSummary,
  containers: readonly ContainerSummary[],
  { name, mark }: App,
): ContainerSummary | undefined {
  return containers.find((found) => {
    const run = managed(found);
    return run !== undefined && run.role !== "serve" && run.appName === name &&
      run.name === container &&
      !isElsewhere(found.Labels[LABELS.directory], mark);
  });
}

/** Of a container that has ended, the engine knows how. */
async function adopt(
  layout: Paths,
  { name, kind }: RunSummary,
  container: ContainerSummary,
  engine: Engine,
  host: AdoptHost,
): Promise<Message> {
  const waiting = new AbortController();
  const status = await (await engine.wait(container.Id, "not-running", waiting.signal)).status;
  const lock = { messages: host.messages, signal: host.interruption.signal };
  const ending = status === 0 ? "succeeded" : "failed";
  const settled: Settled = kind === "train"
    ? await settleModel(layout, name, ending, lock).catch(inWords)
    : {};
  await completeRecord(layout, name, {
    status: status === 0 ? "Completed" : "Failed",
    exit_status: status,
    reason: status === 0 ? null : "The run failed after mlcli was killed",
  });
  await engine.removeContainer(container.Id);
  if (kind !== "train") {
    const outputs = await keepOutputs(layout, name);
    return note(
      `Processing continued after mlcli was killed, and exited with ${status}` +
        (outputs === undefined ? "" : `; its outputs are in ${outputs}`),
    );
  }
  const model = typedPath(layout, layout.model);
  const where = settled.note ?? inOne(settled.difference) ??
    (ending === "succeeded" ? `its model is in ${model} now` : "it wrote no model");
  return note(`Training continued after mlcli was killed, and exited with ${status}: ${where}`);
}

/** A problem with an earlier run's model must not fail this command. */
function inWords(error: unknown): Settled {
  if (!(error instanceof MlcliError)) throw error;
  return { difference: warning(error.message, error.hint) };
}

function inOne(difference: Message | undefined): string | undefined {
  return difference && sentences(difference.message, difference.hint);
}

/** Gives the files of the run to the caller, as its mlcli would have. */
async function handOverToCaller(
  { app }: LocalJob,
  folders: readonly string[],
  host: AdoptHost,
): Promise<void> {
  const { caller, messages } = host;
  const own: string[] = [];
  for (const folder of folders) {
    const info = await lstatIfThere(folder);
    // The caller creates the directories of runs; another user's directory might contain other users' files.
    if (info?.isDirectory && info.uid === caller?.uid) own.push(folder);
  }
  const owners = await ownersBefore(own, caller, true);
  messages.tell(await giveToCaller(app.image, owners, host));
}

/** Names the results of a run whose outcome is unknown, so that the user can decide. */
async function nameResults(layout: Paths, run: string): Promise<Message | undefined> {
  // Its model is in its place: it had a good end.
  const status = await currentRun(layout) === run ? "Completed" : "Lost";
  await completeRecord(layout, run, { status, exit_status: null, reason: null });
  const outputs = await keepOutputs(layout, run);
  if (outputs !== undefined) {
    return warning(
      `mlcli was interrupted, so the result of run ${run} is unknown; its outputs are in ${outputs}`,
      `Copy the complete files, then remove the rest: rm -r ${shellWord(outputs)}`,
    );
  }
  const model = modelOfRun(layout, run);
  if (!await holdsFile(layout, model, model).catch(() => true)) {
    return void await removeTreeIfThere(model).catch(() => {});
  }
  const path = typedPath(layout, model);
  return warning(
    `mlcli was interrupted, so the result of run ${run} is unknown; its model is in ${path}`,
    `To serve it: mlcli local deploy --run ${run}. To remove it: rm -r ${shellWord(path)}`,
  );
}

function note(message: string): Message {
  return { level: "note", message };
}
