/**
 * `local deploy`: a server of the trained model on this machine.
 *
 * @module
 */

import { imageReference } from "../../app/app.ts";
import {
  layoutOf,
  requireLayoutInside,
  requireModel,
  requireTestDirectory,
} from "../../app/layout.ts";
import { START_SECONDS } from "../../contract/limits.ts";
import { missingModule } from "../../contract/missing_modules.ts";
import { type Engine, type ImageDetails, isConflict } from "../../docker/engine.ts";
import { EngineError } from "../../docker/transport.ts";
import { MlcliError } from "../../errors.ts";
import { holdsHarness } from "../../images.ts";
import { abortOf } from "../../time.ts";
import {
  createContainer,
  discardContainer,
  startContainer,
  withInitIfThere,
} from "../container/create.ts";
import { endInWords } from "../../serving/end.ts";
import { environmentDifferences } from "../../contract/refusals.ts";
import { networkDifferences } from "../../contract/resources.ts";
import { bodyLimit } from "./body_limit.ts";
import { mountedCode } from "../code.ts";
import { requireImage } from "../../docker/require_image.ts";
import { serverName } from "../container/managed.ts";
import { privilegesHint } from "../container/privileges.ts";
import { codeDifferences } from "../differences/code.ts";
import { Findings } from "../differences/findings.ts";
import { imageDifferences } from "../differences/image.ts";
import type { Host, ServingJob } from "../jobs.ts";
import { missingModuleHintOf } from "../missing_module.ts";
import { idOf } from "../../model/folder.ts";
import { releaseModel, settleRemains } from "../model/remains.ts";
import { type OfImage, type PlannedServer, servePlan } from "../plan.ts";
import { logTail, untilReady } from "../../serving/until_ready.ts";
import { madeOf } from "./made_of.ts";
import { discardModel, servedModel } from "./served_model.ts";
import { findServers, type Server } from "./servers.ts";
import { noteText } from "../../text.ts";

/** How often a free port is picked again when another program was faster. */
const FREE_PORT_ATTEMPTS = 5;

/**
 * Follows the log of a server from its start, before it is ready; the promise resolves when the log
 * has come to its end.
 */
export type Follow = (engine: Engine, server: Server) => Promise<void>;

/**
 * Starts a server and returns once it answers. When it does not, or the user interrupts, nothing
 * of it is left.
 *
 * @param follow shows its log.
 * @throws MlcliError when the port is taken, the server ended or did not answer in time, and when
 * the layout, the image or the engine cannot be used.
 */
export async function serve(
  job: ServingJob,
  host: Pick<Host, "engine" | "interruption" | "err" | "caller" | "region">,
  follow?: Follow,
): Promise<Server> {
  const layout = layoutOf(job.app);
  await requireLayoutInside(layout, "prediction");
  await requireTestDirectory(layout);
  await settleRemains(job, host);
  await requireModel(layout);
  const engine = await host.engine();
  const findings = new Findings(job.strict, host.err);
  let known: Promise<OfServedImage> | undefined;
  const start: Start = {
    job,
    engine,
    region: await host.region(job.app.configuration),
    signal: host.interruption.signal,
    follow,
    findings,
    // Where a port was taken meanwhile, the start is tried again; all is said once.
    ofImage: () => known ??= lookAtImage(job, engine, findings, host.err),
  };
  if (job.port !== 0) return await serveOn(start, job.port);
  for (let attempt = 1;; attempt++) {
    try {
      return await serveOn(start, freePort());
    } catch (error) {
      if (!(error instanceof PortInUse) || attempt === FREE_PORT_ATTEMPTS) throw error;
    }
  }
}

/** What follows from the image of a server. */
interface OfServedImage {
  readonly image: ImageDetails;
  readonly planned: OfImage & Pick<PlannedServer, "bodyLimit">;
}

/** What a start needs. */
interface Start {
  readonly job: ServingJob;
  readonly engine: Engine;
  readonly region: string;
  /** Aborted by the user; its reason is thrown. */
  readonly signal: AbortSignal;
  readonly follow: Follow | undefined;
  readonly findings: Findings;
  readonly ofImage: () => Promise<OfServedImage>;
}

/** What follows from the image, and what would be different on the platform. */
async function lookAtImage(
  job: ServingJob,
  engine: Engine,
  findings: Findings,
  err: Host["err"],
): Promise<OfServedImage> {
  const image = await requireImage(engine, imageReference(job.app, job.tag));
  const note = (text: string): void => err.print(noteText(text));
  const code = await mountedCode(job, layoutOf(job.app), "prediction", image, note);
  findings.add([
    ...environmentDifferences("serve", job.variables),
    ...networkDifferences(job.network),
    ...imageDifferences(job, image),
    ...await codeDifferences(job, "prediction", image),
  ]);
  return {
    image,
    planned: {
      withInit: holdsHarness(image) && !job.strict,
      ...code,
      reportFile: undefined,
      bodyLimit: bodyLimit(image, job.variables),
    },
  };
}

/** A port that nobody listens on at this moment. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function serveOn(start: Start, port: number): Promise<Server> {
  const { job, engine, signal, follow } = start;
  signal.throwIfAborted();
  await clearPort(engine, port);
  const ofImage = await start.ofImage();
  const layout = layoutOf(job.app);
  const name = serverName(job.app.name, port);
  const modelFolder = await servedModel(layout, name, signal);
  const planned: PlannedServer = {
    name,
    region: start.region,
    port,
    ...ofImage.planned,
    modelFolder,
    modelId: await idOf(modelFolder),
    madeOf: await madeOf(job, ofImage.planned.codeFolder, ofImage.image),
  };
  let server: Server | undefined;
  let ready = false;
  try {
    server = await startServer(start, planned);
    const followed = follow?.(engine, server);
    await requireReady(start, server, followed);
    start.findings.requireNone();
    ready = true;
    return server;
  } finally {
    if (!ready) {
      if (server !== undefined) await discardContainer(engine, server.id);
      await discardModel(layout, modelFolder);
    }
  }
}

/**
 * Refuses a port that a server of mlcli has, also one that is being started, or is paused; removes
 * what is left of one that ended.
 */
async function clearPort(engine: Engine, port: number): Promise<void> {
  for (const server of await findServers(engine, port)) {
    if (!server.ended) throw portInUse(port, server.appName);
    await engine.removeContainer(server.id);
    await releaseModel(server, engine);
  }
}

async function startServer(
  { job, engine, signal }: Start,
  planned: PlannedServer,
): Promise<Server> {
  const { app } = job;
  const { name, port, modelFolder, modelId, madeOf } = planned;
  await requireLayoutInside(layoutOf(app), "prediction");
  return await withInitIfThere(servePlan(job, planned), async (body) => {
    let id: string | undefined;
    try {
      id = await createContainer(engine, name, body);
      signal.throwIfAborted();
      await startContainer(engine, id, body);
      const states = { running: true, ended: false };
      return {
        id,
        name,
        appName: app.name,
        port,
        image: body.Image,
        modelFolder,
        modelId,
        madeOf,
        ...states,
      };
    } catch (error) {
      if (id !== undefined) await discardContainer(engine, id);
      // The name is taken: another deploy on the same port was faster.
      if (isConflict(error)) throw portInUse(port, app.name, error);
      if (error instanceof EngineError && saysPortTaken(error.reason)) {
        throw portInUse(port, undefined, error);
      }
      throw error;
    }
  });
}

/**
 * The engine answers 500 for a busy port, as for other failures, so its words are matched. In this
 * order: used by a container; by a process; Docker Desktop; Podman's machine; Podman.
 */
function saysPortTaken(reason: string): boolean {
  return /port is already allocated|address already in use|ports are not available|proxy already running|bind: address/i
    .test(reason);
}

/** Another server or program has the port. */
class PortInUse extends MlcliError {
  override readonly name = "PortInUse";
}

function portInUse(port: number, appName?: string, cause?: unknown): PortInUse {
  const owner = appName === undefined ? "" : ` (by the server of ${appName})`;
  const stop = appName === undefined
    ? "Stop what listens there"
    : `Stop it with mlcli local stop --port ${port}`;
  return new PortInUse(`Port already in use: ${port}${owner}`, {
    hint: `${stop}, or choose another --port; --port 0 picks a free one.`,
    cause,
  });
}

/** @throws MlcliError where it ended, or the time is over; the signal's reason. */
async function requireReady(
  start: Start,
  server: Server,
  followed: Promise<void> | undefined,
): Promise<void> {
  const { job, engine, signal } = start;
  const readiness = await untilReady(engine, server, job.timeout, signal);
  switch (readiness.kind) {
    case "ready":
      return;
    case "ended": {
      // Who follows the start has seen the log. The container stays until all of it was read.
      if (followed) await Promise.race([followed.catch(() => {}), abortOf(signal)]);
      throw await endedTooEarly(start, server, readiness.status, followed !== undefined);
    }
    case "late": {
      // The log of a server that still runs has no end to wait for.
      const quote = followed ? undefined : await logTail(engine, server.id);
      throw notReady(job.timeout, readiness.lastAnswer, readiness.wasReady, quote);
    }
  }
}

function notReady(
  timeout: number,
  lastAnswer: string,
  wasReady: boolean,
  quote: string | undefined,
): MlcliError {
  const within = `within ${timeout} s`;
  if (!wasReady) {
    return new MlcliError(`The server did not answer /ping with 200 ${within} (${lastAnswer})`, {
      quote,
      hint: `--timeout gives it longer. The platform waits for ${START_SECONDS / 60} minutes.`,
    });
  }
  return new MlcliError(
    `The server did not go on answering /ping with 200 ${within}: 200 at first, then ${lastAnswer}`,
    {
      quote,
      hint: "The platform asks again and again, and replaces a server that does not answer with " +
        "200 each time.",
    },
  );
}

/** @param isSeen whether the user has seen its log. */
async function endedTooEarly(
  { job: { app }, engine, ofImage }: Start,
  server: Server,
  status: number,
  isSeen: boolean,
): Promise<MlcliError> {
  const { words, hint } = await endInWords(engine, server.id, status);
  const log = await logTail(engine, server.id) ?? "";
  const { image } = await ofImage();
  const missing = log.split("\n").findLast((line) => missingModule(line) !== undefined) ?? "";
  return new MlcliError(`The server ended before it was ready: ${words}`, {
    quote: isSeen ? undefined : log,
    hint: hint ?? privilegesHint(log) ??
      await missingModuleHintOf(missing, { app, code: "prediction", image }) ??
      "Its log says why: serve must start, and model_fn must load the model.",
  });
}
