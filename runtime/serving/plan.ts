/**
 * What a container of the user's code may take and do, as pure data, and the container of a server:
 * for `local deploy`, and for a model that is tried before it goes to the cloud.
 */

import { type Gpus, type Resources, SERVER_PORT, SERVING_ARGUMENTS } from "../contract/jobs.ts";
import {
  type ContainerCredentials,
  pathVariables,
  regionVariables,
  type Variables,
} from "../contract/variables.ts";
import type { CreateBody, DeviceRequest } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import { withoutProxy } from "../docker/proxies.ts";
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

/** Names of the machine in a container, with Docker and with Podman. */
const SERVER_HOSTS = ["host.docker.internal", "host.containers.internal"];

/** What the user chooses for every container of their code. */
export interface ContainerRequest extends Resources {
  /** Whether programs of the image may gain privileges, as `sudo` does. */
  readonly allowPrivileges: boolean;
  /** Whether it gets nothing but what SageMaker gives. */
  readonly strict: boolean;
  /** Environment variables that the user gives to the code; they win over mlcli's. */
  readonly variables: Variables;
  readonly credentials?: ContainerCredentials;
  /** Proxies of docker's configuration file (`proxiesBeside`); `undefined`: none. */
  readonly proxies?: Variables;
}

/** What mlcli knows when it plans a container. */
export interface ContainerFacts {
  readonly name: string;
  /** For `AWS_REGION`. */
  readonly region: string;
  /** Whether an init is process 1, which passes SIGTERM on and reaps orphans. */
  readonly withInit: boolean;
}

export interface ServerRequest extends ContainerRequest {
  /** Further names in the Host header that the server accepts, in lower case. */
  readonly allowHost: readonly string[];
}

export interface ServerFacts extends ContainerFacts {
  /** Of `bodyLimit`, and of code in its model. */
  readonly ofServer: Variables;
}

/** @param data its model, and other mounts. */
export function serverPlan(
  image: string,
  request: ServerRequest,
  facts: ServerFacts,
  data: Pick<CreateBody["HostConfig"], "Mounts" | "VolumesFrom">,
): Omit<CreateBody, "Labels"> {
  const hosts = [...SERVER_HOSTS, facts.name, ...request.allowHost];
  return {
    Image: image,
    Cmd: SERVING_ARGUMENTS,
    Env: environment(request, facts.region, {
      // Also under --strict, though SageMaker sets no variable: the limit is SageMaker's own.
      ...facts.ofServer,
      MLCLI_ALLOWED_HOSTS: hosts.join(" "),
    }),
    HostConfig: { AutoRemove: false, ...limits(request, facts), ...data },
  };
}

/** A port of a container, and the port of this machine that leads to it. */
export interface PublishedPort {
  readonly container: number;
  /** `""`: the engine picks a free one. */
  readonly host: number | "";
}

/** Returns the body of a server whose port is published on a port of this machine. */
export function onPort<Body extends Omit<CreateBody, "Labels">>(
  body: Body,
  host: PublishedPort["host"],
): Body {
  return withPorts(body, [{ container: SERVER_PORT, host }]);
}

/** Returns the body of a container that publishes these ports. */
export function withPorts<Body extends Omit<CreateBody, "Labels">>(
  body: Body,
  ports: readonly PublishedPort[],
): Body {
  if (ports.length === 0) return body;
  const bindings = Object.entries(Object.groupBy(ports, ({ container }) => `${container}/tcp`));
  // Loopback only: a model under test and a debugger are not for the whole network.
  const bound = (host: PublishedPort["host"]) => ({ HostIp: "127.0.0.1", HostPort: String(host) });
  return {
    ...body,
    ExposedPorts: Object.fromEntries(bindings.map(([port]) => [port, {}])),
    HostConfig: {
      ...body.HostConfig,
      PortBindings: Object.fromEntries(
        bindings.map(([port, published = []]) => [port, published.map(({ host }) => bound(host))]),
      ),
    },
  };
}

export function limits(
  { memory, cpus, shmSize, gpus, network, allowPrivileges }: ContainerRequest,
  { withInit }: ContainerFacts,
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

/**
 * Returns the variables of a container. The user's override mlcli's, as they override the image's on
 * SageMaker.
 *
 * @param ofRole variables of this kind of container.
 * @param hosts names of the hosts of the run, which need no proxy.
 */
export function environment(
  { variables, strict, credentials, proxies = {} }: ContainerRequest,
  region: string,
  ofRole: Variables,
  hosts: readonly string[] = [],
): readonly string[] {
  const paths = strict ? {} : pathVariables();
  const ofDocker = withoutProxy(proxies, ofRole, hosts);
  const all = {
    ...paths,
    ...regionVariables(region),
    ...ofRole,
    ...ofDocker,
    ...credentials?.variables,
    ...variables,
  };
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
}

/** The variables in which the harness finds its limit, in MB; the first wins. */
const LIMIT_VARIABLES: readonly string[] = ["MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB"];

/**
 * The variable that makes the harness refuse bodies that SageMaker may refuse. By itself it takes
 * as much as an asynchronous endpoint: for other endpoints, SageMaker checks the size before it.
 * A limit that the image or the user names counts instead.
 *
 * @param variables the user's, of this run.
 */
export function bodyLimit(image: Pick<ImageDetails, "Config">, variables: Variables): Variables {
  if (!holdsHarness(image)) return {};
  // The harness ignores one without a value, too.
  const ofImage = (image.Config?.Env ?? []).filter((variable) => !/=\s*$/.test(variable))
    .map((variable) => variable.split("=", 1)[0]);
  const isNamed = LIMIT_VARIABLES.some((name) =>
    Object.hasOwn(variables, name) || ofImage.includes(name)
  );
  return isNamed ? {} : { [LIMIT_VARIABLES[0]!]: String(SURE_BODY_BYTES / 1024 ** 2) };
}
