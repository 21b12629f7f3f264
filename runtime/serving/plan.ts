/**
 * What a container of the user's code may take and do, and that of a server, as pure data: one for
 * `local deploy`, and for a model that is tried before it goes to the cloud.
 */

import { type Gpus, type Resources, SERVER_PORT, SERVING_ARGUMENTS } from "../contract/jobs.ts";
import { pathVariables, regionVariables, type Variables } from "../contract/variables.ts";
import type { CreateBody, DeviceRequest } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import { SURE_BODY_BYTES } from "../contract/limits.ts";
import { holdsHarness } from "../contract/images.ts";

/**
 * Processes and threads of a container, at most: a fork bomb ends there, a data loader with hundreds
 * of workers does not. (SageMaker's instances have the kernel's limit, which is of that size.)
 */
export const MOST_PROCESSES = 32_768;

/** Programs with setuid, and those with capabilities of their own, run without them. */
export const NO_NEW_PRIVILEGES = "no-new-privileges";

/** `/dev/shm` in bytes. Docker's 64 MB kill PyTorch's data loaders; this reserves nothing. */
const SHARED_MEMORY = 2 * 1024 ** 3;

/** What a container calls the machine that it runs on, with Docker and with Podman. */
const SERVER_HOSTS = ["host.docker.internal", "host.containers.internal"];

/** What is asked for with every container of the user's code. */
export interface Asked extends Resources {
  /** Whether programs of the image may gain privileges, as `sudo` does. */
  readonly allowPrivileges: boolean;
  /** Whether it has nothing but what the platform gives it. */
  readonly strict: boolean;
  /** Environment variables that the user gives to the code; they win over mlcli's. */
  readonly variables: Variables;
}

/** What is known when a container is planned, besides what was asked for. */
export interface Known {
  readonly name: string;
  /** The region that the code is told. */
  readonly region: string;
  /** Whether an init is process 1, which passes SIGTERM on and reaps orphans. */
  readonly withInit: boolean;
}

export interface AskedServer extends Asked {
  /** Names that it may be called by, besides its own; in lower case. */
  readonly allowedHosts: readonly string[];
}

export interface KnownServer extends Known {
  /** What tells the harness how large a request may be; nothing where another limit is named. */
  readonly bodyLimit: Variables;
}

/** A server of an image, with its model and what else it finds in `data`. */
export function serverPlan(
  image: string,
  asked: AskedServer,
  planned: KnownServer,
  data: Pick<CreateBody["HostConfig"], "Mounts" | "VolumesFrom">,
): Omit<CreateBody, "Labels"> {
  const hosts = [...SERVER_HOSTS, planned.name, ...asked.allowedHosts];
  return {
    Image: image,
    Cmd: SERVING_ARGUMENTS,
    Env: environment(asked, planned.region, {
      // Also under --strict, though the platform sets no variable: the limit is the platform's own.
      ...planned.bodyLimit,
      MLCLI_ALLOWED_HOSTS: hosts.join(" "),
    }),
    HostConfig: { AutoRemove: false, ...limits(asked, planned), ...data },
  };
}

/** The same on a port of this machine; `""` is one that the engine takes. */
export function onPort<Body extends Omit<CreateBody, "Labels">>(
  body: Body,
  hostPort: number | "",
): Body {
  const port = `${SERVER_PORT}/tcp`;
  return {
    ...body,
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...body.HostConfig,
      // Loopback only: a model under test is not for the whole network.
      PortBindings: { [port]: [{ HostIp: "127.0.0.1", HostPort: String(hostPort) }] },
    },
  };
}

export function limits(
  { memory, cpus, shmSize, gpus, network, allowPrivileges }: Asked,
  { withInit }: Known,
): Omit<CreateBody["HostConfig"], "AutoRemove" | "Mounts"> {
  return {
    ...(network === undefined ? {} : { NetworkMode: network }),
    ShmSize: shmSize ?? SHARED_MEMORY,
    // No swap beyond the limit: SageMaker has none.
    ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
    ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    ...(gpus === undefined ? {} : { DeviceRequests: [deviceRequest(gpus)] }),
    PidsLimit: MOST_PROCESSES,
    // In a mounted directory a device node would be one of this machine, and a file's capabilities
    // would be for whoever runs it here.
    CapDrop: ["MKNOD", "SETFCAP"],
    ...(allowPrivileges ? {} : { SecurityOpt: [NO_NEW_PRIVILEGES] }),
    ...(withInit ? { Init: true } : {}),
  };
}

/** GPUs as the docker command asks for them (`docker run --gpus`, opts/gpus.go in docker/cli). */
function deviceRequest(gpus: Gpus): DeviceRequest {
  const request = { Capabilities: [["gpu"]] };
  if (gpus === "all") return { ...request, Count: -1 };
  return typeof gpus === "number"
    ? { ...request, Count: gpus }
    : { ...request, DeviceIDs: [...gpus] };
}

/** The user's own win over mlcli's, as they do on SageMaker over those of the image. */
export function environment(
  { variables, strict }: Asked,
  region: string,
  ofRole: Variables,
): readonly string[] {
  const paths = strict ? {} : pathVariables();
  const all = { ...paths, ...regionVariables(region), ...ofRole, ...variables };
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
}

/** In which the harness finds its limit, in MB; the first wins. */
const NAMES: readonly string[] = ["MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB"];

/**
 * The variable that has the harness refuse what the platform may refuse. By itself the harness takes
 * what an asynchronous endpoint does: in front of every other, the platform looks at the size, and
 * here nobody would. Whoever names a limit, in the image or for this run, has another in mind.
 *
 * @param variables the user's, of this run.
 */
export function bodyLimit(image: Pick<ImageDetails, "Config">, variables: Variables): Variables {
  if (!holdsHarness(image)) return {};
  // One without a value is none to the harness, either.
  const ofImage = (image.Config?.Env ?? []).filter((variable) => !/=\s*$/.test(variable))
    .map((variable) => variable.split("=", 1)[0]);
  const isNamed = NAMES.some((name) => Object.hasOwn(variables, name) || ofImage.includes(name));
  return isNamed ? {} : { [NAMES[0]!]: String(SURE_BODY_BYTES / 1024 ** 2) };
}
