import type { CreateBody, Engine } from "../../docker/engine.ts";
import { BrokenEngine, EngineError, isNotFound } from "../../docker/errors.ts";
import { MlcliError } from "../../errors.ts";
import { lstatIfThere, makeDirectory } from "../../files.ts";
import { LABELS } from "../../contract/images.ts";
import { ownerText } from "../../owner.ts";
import { type Message, type Messages, warning } from "../../messages.ts";
import { isReport } from "../differences/report.ts";
import { imageNotFound } from "../../docker/images.ts";
import { REMOVAL_TIMEOUT } from "../../docker/time_limits.ts";
import { mountingOn, protectionOf } from "./body.ts";
import { REFUSES_MACHINE_NAME, withoutMachineName } from "./machine_name.ts";
import { requireSeen, unseenDirectory } from "./unseen.ts";
import { limitRefusal, noGpusOnPodman, resourceRefusal } from "./refusals.ts";

/**
 * Docker: daemon's `validateMountConfig` (moby, volume/mounts); Podman 4.3 would create paths that it does
 * not see.
 */
const MAY_NOT_LOOK =
  /invalid mount config.{0,5000}permission denied|making volume mountpoint .{0,5000}permission denied/;

/**
 * Creates a container and returns its id. First creates missing directories to mount, because the engine
 * would refuse them, or create them as root.
 *
 * @param messages warn if the container might be left.
 * @throws MlcliError if the image does not exist, or if the engine does not see a mounted path.
 */
export async function createContainer(
  engine: Engine,
  name: string,
  body: CreateBody,
  messages: Messages,
): Promise<string> {
  const { Mounts } = body.HostConfig;
  await requireLimits(engine, body);
  for (const mount of Mounts) {
    if (mount.Type === "volume") continue;
    const isFile = isReport(mount) ||
      (mount.ReadOnly && (await lstatIfThere(mount.Source))?.isFile);
    if (!isFile) await makeDirectory(mount.Source);
  }
  const mounting = Mounts.length === 0 ? body : mountingOn(await protectionOf(engine), body);
  let id: string;
  try {
    id = await engine.createContainer(name, {
      ...mounting,
      Labels: { ...body.Labels, [LABELS.owner]: ownerText() },
    });
  } catch (error) {
    // The engine might have created a container.
    if (error instanceof BrokenEngine) await discardContainer(engine, { id: name, name }, messages);
    const refused = resourceRefusal(body, error);
    if (refused !== undefined) throw refused;
    if (isNotFound(error)) throw imageNotFound(body.Image, GONE, error);
    const isBare = body.Entrypoint === undefined && body.Cmd.length === 0;
    if (isBare && error instanceof EngineError && error.status === 400) {
      throw cannotRun(body, error);
    }
    throw await refusedDirectory(engine, error) ?? error;
  }
  await requireSeen(engine, id, body).catch(async (error) => {
    await discardContainer(engine, { id, name }, messages);
    throw error;
  });
  return id;
}

/** @throws MlcliError if the engine cannot limit the resources of the container, or has no GPUs. */
export async function requireLimits(engine: Engine, body: CreateBody): Promise<void> {
  const { Memory, NanoCpus, DeviceRequests } = body.HostConfig;
  if (engine.isPodman && DeviceRequests !== undefined) throw noGpusOnPodman();
  if (Memory === undefined && NanoCpus === undefined) return;
  const refused = limitRefusal(body, await engine.info());
  if (refused !== undefined) throw refused;
}

/** Whoever creates one has looked for its image before. */
const GONE = "Run the command again: the image was removed while the container was being created";

/** Returns the error for a directory that the engine refuses to mount. */
async function refusedDirectory(engine: Engine, cause: unknown): Promise<MlcliError | undefined> {
  if (!(cause instanceof EngineError)) return undefined;
  const { reason } = cause;
  if (MAY_NOT_LOOK.test(reason)) {
    return new MlcliError("The Docker Engine has no permission to read a directory of the app", {
      quote: reason,
      hint: "Set DOCKER_HOST to your own engine, or run mlcli as the user that runs the engine " +
        "(see mlcli doctor)",
      cause,
    });
  }
  return await unseenDirectory(engine, cause);
}

export async function startContainer(engine: Engine, id: string, body: CreateBody): Promise<void> {
  try {
    await engine.startContainer(id);
  } catch (error) {
    const words = await refusedDirectory(engine, error) ?? inWords(body, error);
    throw words instanceof EngineError && words.status === 400 ? cannotRun(body, words) : words;
  }
}

/**
 * Attaches to a container that has not begun, as `attach` does. (Podman prepares it then, and finds what
 * Docker finds at the start.)
 *
 * @throws MlcliError when the image cannot run the command.
 */
export async function attachContainer<T>(body: CreateBody, attach: () => Promise<T>): Promise<T> {
  try {
    return await attach();
  } catch (error) {
    throw inWords(body, error);
  }
}

/**
 * Podman's ErrOCIRuntimeNotFound and ErrOCIRuntimePermissionDenied (libpod/define/errors.go), which
 * have no status of their own.
 */
const PODMAN_CANNOT_RUN =
  /OCI runtime attempted to invoke a command that was not found|OCI permission denied/;

function inWords(body: CreateBody, error: unknown): unknown {
  const refused = resourceRefusal(body, error);
  if (refused !== undefined) return refused;
  const isKnown = error instanceof EngineError && PODMAN_CANNOT_RUN.test(error.reason);
  return isKnown ? cannotRun(body, error) : error;
}

/** The words of runc (Go's `os/exec`) and of crun for a program that is not in PATH. */
const NOT_IN_PATH = /exec: "(\S+)": executable file not found|executable file `(\S+)` not found/;

function cannotRun(body: CreateBody, error: EngineError): MlcliError {
  const { Image, Entrypoint, Cmd } = body;
  const [, ofRunc, ofCrun] = NOT_IN_PATH.exec(error.reason) ?? [];
  const name = ofRunc ?? ofCrun;
  if (Entrypoint === undefined && name === Cmd[0] && (name === "train" || name === "serve")) {
    return new MlcliError(`${Image} has no ${name} program, which SageMaker requires`, {
      hint: name === "serve" ? serveHint(body) : entryPointHint(body),
      cause: error,
    });
  }
  const words = [...Entrypoint ?? [], ...Cmd].join(" ");
  return new MlcliError(
    words === "" ? `${Image} has no program to run` : `Cannot run "${words}" in ${Image}`,
    {
      quote: error.reason,
      hint: Entrypoint === undefined
        ? entryPointHint(body)
        : "Set --command to a program in the image, and repeat --command for each argument. " +
          "--entry-point requires an image with /bin/sh.",
      cause: error,
    },
  );
}

function entryPointHint({ Cmd: [word], Labels }: CreateBody): string {
  const isBare = Labels[LABELS.role] === "process" && word !== "process";
  const hint = isBare
    ? "Set --command PROGRAM, or add an ENTRYPOINT to the image"
    : `Add to the image an ENTRYPOINT that accepts the argument ${word}, or an executable named ${word} in its PATH`;
  const launcher = word === "train" ? " --launcher script" : "";
  if (word === "serve") return hint;
  return `${hint}. To run your own file in any image with Python, use --entry-point FILE${launcher}.`;
}

/** Returns how to put mlcli's server on an image that has none. */
function serveHint({ Image, Labels }: CreateBody): string {
  const app = Labels[LABELS.app];
  const base = `${app}/mlcli_base`;
  return "To add mlcli's server to the image, use a new directory: run " +
    `mlcli init ${app} --base-image ${Image}, replace ${base}/prediction/serve with your ` +
    `inference.py, and copy your model into ${base}/local_test/test_dir/model/. Then run ` +
    "mlcli build. Or add a program named serve to the image's PATH.";
}

/** A container that mlcli made; its id is its name where the engine did not say it. */
export interface Made {
  readonly id: string;
  readonly name: string;
}

/**
 * Removes a container at the end. Prints a warning after a failure, which must not hide the reason of the
 * end.
 *
 * @returns whether the container is gone, as far as known.
 */
export async function discardContainer(
  engine: Engine,
  { id, name }: Made,
  messages: Messages,
): Promise<boolean> {
  try {
    await engine.removeContainer(id, AbortSignal.timeout(REMOVAL_TIMEOUT));
    return true;
  } catch {
    // If the warning cannot be printed, the reported error matters more.
    messages.ignoringFailures().tell([leftContainer(name)]);
    return false;
  }
}

export function leftContainer(name: string): Message {
  return warning(
    `The container ${name} might still exist because the Docker Engine did not remove it`,
    `Remove it when the engine responds: docker rm -f ${name}`,
  );
}

/**
 * Does something with a container's plan, and once more without each part that the engine does not have:
 * an init, a name for this machine. (Docker tells only when it creates or starts a container.)
 */
export async function withOptionalParts<T>(
  { isPodman }: Pick<Engine, "isPodman">,
  body: CreateBody,
  work: (body: CreateBody) => Promise<T>,
): Promise<T> {
  // Podman adds the name itself, and refuses Docker's entry before 4.
  let planned = isPodman ? withoutMachineName(body) : body;
  while (true) {
    try {
      return await work(planned);
    } catch (error) {
      const rest = withoutRefused(planned, error);
      if (rest === planned) throw error;
      planned = rest;
    }
  }
}

function withoutRefused(body: CreateBody, error: unknown): CreateBody {
  if (body.HostConfig.Init === true && saysInitMissing(error)) {
    return { ...body, HostConfig: { ...body.HostConfig, Init: false } };
  }
  return isRefusedFor(REFUSES_MACHINE_NAME, error) ? withoutMachineName(body) : body;
}

/** @param words of the engine's reason. */
function isRefusedFor(words: RegExp, error: unknown): boolean {
  const refusal = error instanceof MlcliError && error.cause instanceof EngineError
    ? error.cause
    : error;
  return refusal instanceof EngineError && words.test(refusal.reason);
}

/**
 * Docker (20.10), at the start: `error mounting "/usr/bin/docker-init" to rootfs ... no such file`,
 * or `exec: "docker-init": executable file not found in $PATH`. Podman (4.3), at the creation:
 * `container-init binary not found on the host`.
 */
export function saysInitMissing(error: unknown): boolean {
  return isRefusedFor(/docker-init|container-init|catatonit/, error);
}
