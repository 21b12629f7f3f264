import { holdsFile, requireLayoutInside } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import type { Engine } from "../../docker/engine.ts";
import type { ImageDetails } from "../../docker/images.ts";
import { isConflict } from "../../docker/errors.ts";
import { isRoot } from "../../contract/images.ts";
import { servingVariables } from "../../contract/launch.ts";
import type { Variables } from "../../contract/variables.ts";
import type { Messages } from "../../messages.ts";
import { sharingModel } from "../../model/lock.ts";
import { pathsInJobs, UNPACKED } from "../../model/runs.ts";
import { withReadableLog } from "../../serving/log.ts";
import { isPortTaken, isTaken, portInUse, requireTakesPort } from "../../serving/ports.ts";
import { mountedCode, NOT_MOUNTED } from "../code.ts";
import {
  createContainer,
  discardContainer,
  startContainer,
  withOptionalParts,
} from "../container/create.ts";
import { regionOf, withCredentials } from "../credentials.ts";
import { Findings } from "../differences/findings.ts";
import { imageToRun } from "../differences/image.ts";
import type { Host, ServingJob } from "../jobs.ts";
import { type PlannedServer, servePlan } from "../plan.ts";
import { prune } from "../runs/prune.ts";
import { bodyLimit } from "../../serving/plan.ts";
import { installsPackages, packCode, type PackedCode } from "../../source/source.ts";
import { type PipPlace, pipPlace } from "../sent_code.ts";
import { codeCopy } from "./code_copy.ts";
import { madeOf } from "./made_of.ts";
import { requireReady } from "./readiness.ts";
import { lookAtImage, type OfServedImage, requireServable, servedVersion } from "./servable.ts";
import { networkFolderOf, removeUnpacked, servedModel } from "./served_model.ts";
import { startedServersOn } from "./stop.ts";
import { type Server, takenBy } from "./servers.ts";

export type StartHost = Pick<
  Host,
  "engine" | "interruption" | "messages" | "env" | "caller" | "region" | "pipNetwork"
>;

/**
 * Follows the log of a server from its start, before it is ready; the promise resolves when the log
 * has come to its end.
 */
export type Follow = (engine: Engine, server: Server) => Promise<void>;

export interface Start {
  readonly job: ServingJob;
  readonly engine: Engine;
  readonly region: string;
  /** Aborted by the user; its reason is thrown. */
  readonly signal: AbortSignal;
  readonly follow: Follow | undefined;
  /** Whether the server gets a copy of the code instead of the directory. */
  readonly copiesCode: boolean;
  readonly findings: Findings;
  readonly messages: Messages;
  readonly pipNetwork: StartHost["pipNetwork"];
  readonly ofImage: () => Promise<OfServedImage>;
  /** Prints a note, each text once. */
  readonly note: (text: string) => void;
}

/**
 * Returns everything that a start needs, for an app that can be served.
 *
 * @param follow shows the server's log.
 */
export async function startOf(
  asked: ServingJob,
  host: StartHost,
  follow?: Follow,
): Promise<Start> {
  const job = await requireServable(asked, host);
  const layout = job.app.paths;
  // Leftovers of servers of a killed mlcli: copies of models, and pip's files.
  if ((await pathsInJobs(layout, UNPACKED)).length > 0) await prune(layout, host);
  const { messages } = host;
  const engine = await host.engine();
  // While mlcli checks the port. The code that starts a server reports a failure.
  const image = imageToRun(engine, job, host);
  image.catch(() => {});
  const findings = new Findings(job.strict, messages);
  let known: Promise<OfServedImage> | undefined;
  const said = new Set<string>();
  return {
    job,
    engine,
    region: await regionOf(job, host),
    signal: host.interruption.signal,
    follow,
    copiesCode: false,
    findings,
    messages,
    pipNetwork: host.pipNetwork,
    // If a server is restarted, each message is printed once.
    ofImage: () => known ??= lookAtImage(job, image, findings),
    note: (text) => {
      if (!said.has(text)) messages.note(text);
      said.add(text);
    },
  };
}

export interface Place {
  /** Of its container. */
  readonly name: string;
  /** The port that it is known by. */
  readonly port: number;
  /** The port on this machine that the engine gives its container. */
  readonly published: number;
  /** Variables of a server that answers one batch; `undefined`: a server that anybody may ask. */
  readonly batch?: Variables;
}

/**
 * Starts a server and returns when it responds. After a failure, no part of it is left.
 *
 * @param takeOver called when its container exists, right before the start.
 * @throws PortInUse if a port or the name is in use; MlcliError if the server ended, did not respond in time,
 * or differs from SageMaker's with `--strict`; the signal's reason.
 */
export async function startServer(
  start: Start,
  place: Place,
  takeOver: () => Promise<void> = () => Promise.resolve(),
): Promise<Server> {
  const { job, engine, signal, follow } = start;
  signal.throwIfAborted();
  const { image, planned } = await start.ofImage();
  if (engine.inStudio) {
    requireTakesPort(image, job.app.image, place.published);
  }
  const lent = await withCredentials(job, start);
  const layout = job.app.paths;
  const sent = job.code && await packCode([job.code], job.code.entryPoint, start);
  const code = sent ? NOT_MOUNTED : await mountedCode(job, layout, "prediction", image, start);
  const copy = await codeCopy(code, layout, !start.copiesCode);
  let modelFolder: string | undefined;
  let server: Server | undefined;
  let ready = false;
  try {
    const prepare = async (id: string): Promise<void> => {
      await copy.into(engine, id, signal);
      await takeOver();
      if (engine.inStudio) await requireOwnPort(engine, job, place);
    };
    server = await sharingModel(layout, start, async () => {
      const { run, model } = await servedVersion(layout, job);
      const isEmpty = !await holdsFile(layout, model, model);
      if (isEmpty) start.note(`${typedPath(layout, model)} contains no model`);
      modelFolder = await servedModel(layout, model, place.name, sent, start, signal);
      const ofCode = sent && await startedCode(start, image, sent, modelFolder);
      const made = await madeOf(lent, code.codeFolder, image);
      const folders = { ...copy.mounted, modelFolder, run, pipMounts: ofCode?.mounts };
      const own = place.batch ?? bodyLimit(image, job.variables);
      const ofServer = { ...own, ...ofCode?.variables };
      const all = {
        ...place,
        ...planned,
        ...folders,
        ofServer,
        region: start.region,
        madeOf: made,
      };
      return await createAndStart({ ...start, job: lent }, all, prepare);
    });
    const followed = follow?.(engine, server);
    await requireReady({ ...start, image }, server, place.published, followed);
    start.findings.requireNone();
    ready = true;
    return server;
  } finally {
    if (!ready) {
      if (server !== undefined) await discardContainer(engine, server, start.messages);
      await removeUnpacked({ modelFolder });
    }
  }
}

/** Variables and pip settings that code in the model needs. */
async function startedCode(
  { job, region, engine, messages, pipNetwork }: Start,
  image: ImageDetails,
  sent: PackedCode,
  modelFolder: string,
): Promise<PipPlace> {
  const pip = installsPackages(sent)
    ? await pipPlace({
      job,
      isRoot: isRoot(image.Config?.User),
      networkFolder: networkFolderOf(modelFolder),
      engine,
      host: { messages, pipNetwork },
    })
    : undefined;
  const variables = servingVariables(job.code!.entryPoint, region);
  return { mounts: pip?.mounts ?? [], variables: { ...pip?.variables, ...variables } };
}

/** In Studio no engine publishes ports, which would refuse one that is taken. */
async function requireOwnPort(engine: Engine, { app }: ServingJob, place: Place): Promise<void> {
  // One of another app that is being started does not listen yet.
  const others = (await startedServersOn(engine, place.port))
    .filter(({ appName, ended }) => appName !== app.name && !ended);
  if (others.length > 0) throw takenBy(others[0]!, app);
  if (isTaken(place.published)) throw portInUse(place.published);
}

async function createAndStart(
  { job, engine, signal, messages }: Start,
  planned: PlannedServer,
  prepare: (id: string) => Promise<void>,
): Promise<Server> {
  const { app } = job;
  const { name, port, published, modelFolder, madeOf } = planned;
  await requireLayoutInside(app.paths, "prediction");
  const plan = await withReadableLog(servePlan(job, planned), engine);
  return await withOptionalParts(engine, plan, async (body) => {
    let id: string | undefined;
    try {
      id = await createContainer(engine, name, body, messages);
      signal.throwIfAborted();
      await prepare(id);
      signal.throwIfAborted();
      await startContainer(engine, id, body);
      return {
        id,
        name,
        appName: app.name,
        port,
        directory: app.mark,
        image: body.Image,
        modelFolder,
        modelRun: planned.run,
        madeOf,
        running: true,
        ended: false,
        isRelayed: published !== port,
      };
    } catch (error) {
      if (id !== undefined) await discardContainer(engine, { id, name }, messages);
      // The name is in use: another deploy on the port was faster.
      if (isConflict(error)) throw portInUse(port, app.name, error);
      if (isPortTaken(error)) throw portInUse(published, undefined, error);
      throw error;
    }
  });
}
