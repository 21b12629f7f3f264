import type { App } from "../../app/app.ts";
import type { Context } from "../../context.ts";
import { LABELS, takesPort } from "../../contract/images.ts";
import { isAccelerated } from "../../contract/instances.ts";
import { PATHS, SERVER_PORT, SERVING_ARGUMENTS } from "../../contract/jobs.ts";
import { START_SECONDS } from "../../contract/limits.ts";
import { endOf, endWithError } from "../../contract/outcome.ts";
import type { Variables } from "../../contract/variables.ts";
import { type CreateBody, type Engine, type HolderBody, namesOf } from "../../docker/engine.ts";
import { BrokenEngine, EngineError } from "../../docker/errors.ts";
import { type ImageDetails, platformOf } from "../../docker/images.ts";
import { REMOVAL_TIMEOUT } from "../../docker/time_limits.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../../errors.ts";
import { withReadableLog } from "../../serving/log.ts";
import { bodyLimit, onPort, serverPlan } from "../../serving/plan.ts";
import { freePort, isTaken } from "../../serving/ports.ts";
import { logTail, shownTail, untilReady } from "../../serving/ready.ts";
import { printable, sentences } from "../../text.ts";
import { VERSION } from "../../version.ts";
import type { Note } from "../in_parallel.ts";

export interface Trial {
  readonly app: App;
  /** Path of the model's archive on this machine. */
  readonly archive: string;
  readonly variables: Variables;
  readonly region: string;
  /** How long it may take until it answers /ping, in seconds. `undefined`: as long as SageMaker waits. */
  readonly seconds: number | undefined;
  /** The endpoint's instance type; `undefined`: serverless. */
  readonly instanceType: string | undefined;
}

export type TrialHost = Pick<Context, "engine" | "interruption">;

/**
 * Tries a model here before anything is made that costs money: an endpoint whose server does not start
 * fails only after minutes. Starts the server as SageMaker does, with the archive unpacked in
 * `/opt/ml/model`, read-only, and requires that it answers /ping with 200. Nothing of it is left.
 *
 * @param note gets the reason why it was not tried: no engine, no image, another kind of processor.
 * @throws MlcliError with the server's last lines; the signal's reason.
 */
export async function tryServing(trial: Trial, host: TrialHost, note: Note): Promise<void> {
  const reference = trial.app.image;
  const found = await engineFor(reference, host.engine);
  if (typeof found === "string") return note(`The model was not tested locally: ${found}`);
  const { signal } = host.interruption;
  try {
    await serveOnce(found.engine, found.image, trial, signal, note);
  } catch (error) {
    signal.throwIfAborted();
    // A failure of the engine says nothing about the model.
    if (error instanceof EngineError || error instanceof BrokenEngine) {
      return note(`The model was not tested locally: ${error.message}`);
    }
    if (!(error instanceof Unfit)) throw error;
    if (trial.instanceType === undefined || !isAccelerated(trial.instanceType)) throw error;
    note(
      `${error.message}. The model might work on ${trial.instanceType}, which has ` +
        `accelerators${error.quote === undefined ? "" : `. Last log lines:\n${error.quote}`}`,
    );
  }
}

/** The server does not start, or does not answer /ping. */
class Unfit extends MlcliError {
  override readonly name = "Unfit";
}

/** The engine that can try an image, or why none can. */
async function engineFor(
  reference: string,
  connect: () => Promise<Engine>,
): Promise<{ readonly engine: Engine; readonly image: ImageDetails } | string> {
  try {
    const engine = await connect();
    if (!isHere(engine.address)) {
      return `the Docker Engine runs on another machine (${engine.address})`;
    }
    const image = await engine.image(reference);
    if (image === undefined) return `${reference} does not exist locally`;
    const { Arch } = await engine.version();
    if (image.Architecture === Arch) return { engine, image };
    return `${reference} is for ${platformOf(image)}, but this machine runs linux/${Arch}`;
  } catch (error) {
    // An interruption is thrown on.
    if (error instanceof MlcliError) return error.message;
    throw error;
  }
}

/** Whether the ports of an engine's containers are this machine's. */
function isHere(address: string): boolean {
  return /^(unix|npipe):|^tcp:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/.test(address);
}

/** An hour for the health check, and an hour for what comes before it, in seconds. */
const LONGEST_TRIAL = 2 * 3_600;

/** Label and name of a trial's containers. Both are checked, since an image may have any label. */
const ROLE = "try";
const NAME = `mlcli-${ROLE}-`;

/** They override labels of the image. */
function labels({ name }: App): Record<string, string> {
  return {
    [LABELS.app]: name,
    [LABELS.directory]: "",
    [LABELS.role]: ROLE,
    [LABELS.port]: "",
    [LABELS.model]: "",
    [LABELS.madeOf]: "",
    [LABELS.owner]: "",
    [LABELS.version]: VERSION,
  };
}

/** A container that holds the model's directory, and never runs. */
function holderPlan({ app }: Trial): HolderBody {
  return {
    Image: app.image,
    // Needed for images without a program of their own; it never runs.
    Cmd: ["true"],
    Labels: labels(app),
    HostConfig: {
      AutoRemove: false,
      NetworkMode: "none",
      Mounts: [{ Type: "volume", Target: PATHS.model, VolumeOptions: { NoCopy: true } }],
    },
  };
}

/** Without options of local runs: as SageMaker runs it. */
const PLATFORM_OPTIONS = {
  memory: undefined,
  cpus: undefined,
  shmSize: undefined,
  gpus: undefined,
  network: undefined,
  allowPrivileges: false,
  strict: true,
  allowHost: [],
};

/**
 * The server of `local deploy`, with the model read-only as on SageMaker.
 *
 * @param hostPort `""`: the engine chooses a free one.
 */
function trialPlan(
  { app, variables, region }: Trial,
  image: Pick<ImageDetails, "Config">,
  name: string,
  holder: string,
  hostPort: number | "",
): CreateBody {
  const asked = { ...PLATFORM_OPTIONS, variables };
  const planned = { name, region, withInit: false, ofServer: bodyLimit(image, variables) };
  const data = { Mounts: [], VolumesFrom: [`${holder}:ro`] };
  const body = serverPlan(app.image, asked, planned, data);
  return { ...onPort(body, hostPort), Labels: labels(app) };
}

async function serveOnce(
  engine: Engine,
  image: ImageDetails,
  trial: Trial,
  signal: AbortSignal,
  note: Note,
): Promise<void> {
  const reference = trial.app.image;
  const name = `${NAME}${crypto.randomUUID().slice(0, 8)}`;
  const made: string[] = [];
  try {
    signal.throwIfAborted();
    await removeLeft(engine);
    const holder = await engine.createContainer(`${name}-model`, holderPlan(trial));
    made.push(holder);
    signal.throwIfAborted();
    await copyModel(engine, holder, trial.archive, signal);
    const hostPort = engine.inStudio ? ownPort(image, reference) : "";
    const plan = trialPlan(trial, image, name, holder, hostPort);
    const server = await engine.createContainer(name, await withReadableLog(plan, engine));
    made.push(server);
    signal.throwIfAborted();
    await start(engine, server, reference);
    await requirePing(engine, server, trial, signal, note);
  } finally {
    // The server first: it uses the holder's volume. A failure must not replace the trial's error.
    for (const id of made.toReversed()) {
      await engine.removeContainer(id, AbortSignal.timeout(REMOVAL_TIMEOUT)).catch(() => {});
    }
  }
}

/** The port of the space on which a server in SageMaker Studio listens. */
function ownPort(image: ImageDetails, reference: string): number {
  if (takesPort(image)) return freePort();
  if (!isTaken(SERVER_PORT)) return SERVER_PORT;
  throw new BrokenEngine(
    `${reference} supports only port ${SERVER_PORT}, which is already in use in this Studio space`,
  );
}

/** Removes containers of trials in which mlcli was killed: they would run for ever. */
async function removeLeft(engine: Engine): Promise<void> {
  const now = Date.now() / 1000;
  for (const container of await engine.listContainers([`${LABELS.role}=${ROLE}`])) {
    const isOurs = namesOf(container).some((name) => name.startsWith(NAME));
    const isOld = now - container.Created > LONGEST_TRIAL;
    if (isOurs && isOld) await engine.removeContainer(container.Id).catch(() => {});
  }
}

async function copyModel(
  engine: Engine,
  holder: string,
  archive: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const file = await Deno.open(archive);
    await engine.unpackInContainer(holder, PATHS.model, file.readable, signal);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new MlcliError(`Cannot read the packed model: ${fileErrorReason(error)}`, {
      hint: "If another program empties the temporary directory, set TMPDIR to another directory",
      cause: error,
    });
  }
}

async function start(engine: Engine, server: string, reference: string): Promise<void> {
  try {
    await engine.startContainer(server);
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 400) throw error;
    throw new MlcliError(`Cannot start ${reference} with "${SERVING_ARGUMENTS.join(" ")}"`, {
      quote: error.reason,
      hint: "Set an ENTRYPOINT that accepts the argument serve, like the one from mlcli init",
      cause: error,
    });
  }
}

async function requirePing(
  engine: Engine,
  id: string,
  trial: Trial,
  signal: AbortSignal,
  note: Note,
): Promise<void> {
  const seconds = trial.seconds ?? START_SECONDS;
  const port = await portOf(engine, id);
  // Without a port, the server ended before its container was looked at.
  const readiness = await untilReady(engine, { id, port: port ?? 0 }, {
    seconds,
    signal,
    onStuck: (words, hint) => note(`The local test server is not ready: ${words}. ${hint}`),
  });
  if (readiness.kind === "ready") return;
  const { words, hint } = readiness.kind === "ended"
    ? endOf(
      readiness.status,
      readiness.status !== 0 && await engine.ranOutOfMemory(id).catch(() => false),
    )
    : readiness;
  const log = await logTail(engine, id);
  const late = `did not return 200 for /ping within ${seconds} s`;
  const lost = "returned 200 for /ping at first, but later did not";
  throw new Unfit(
    readiness.kind === "ended"
      ? `In a local test, the server exited before it was ready: ${
        endWithError(readiness.status, words, log ?? "")
      }`
      : `In a local test, the server ${readiness.wasReady ? lost : late} (${words})`,
    {
      quote: log && printable(shownTail(log)),
      hint: sentences(
        hint ?? "Nothing was uploaded or created",
        "Debug it locally: mlcli local deploy",
        "For a model that works only on SageMaker, upload its archive yourself: --model s3://...",
      ),
    },
  );
}

/** The port of this machine that leads to a server; `undefined` where it has ended. */
async function portOf(engine: Engine, id: string): Promise<number | undefined> {
  const containers = await engine.listContainers([`${LABELS.role}=${ROLE}`]);
  const ports = containers.find(({ Id }) => Id === id)?.Ports ?? [];
  return ports.find(({ PublicPort }) => PublicPort !== undefined)?.PublicPort;
}
