/**
 * What an engine says when it has not what a container asks for, in the user's terms. It gives these
 * statuses to other failures, too, so its words are matched.
 */

import type { CreateBody, Engine } from "../../docker/engine.ts";
import { type EngineInfo, unlimitedBy } from "../../docker/engine_info.ts";
import { STUDIO_NETWORK } from "../../docker/studio.ts";
import { EngineError } from "../../docker/errors.ts";
import { MlcliError } from "../../errors.ts";
import type { BatchJob } from "../jobs.ts";

const UNLIMITED = {
  memory: [
    "The Docker Engine cannot limit memory",
    "Leave --memory out. (A rootless engine needs cgroup v2 with the controller memory.)",
  ],
  cpus: [
    "The Docker Engine cannot limit CPUs",
    "Leave --cpus out. (A rootless engine needs cgroup v2 with the controller cpu.)",
  ],
} as const;

type HostConfig = CreateBody["HostConfig"];

interface Refusal {
  readonly said: RegExp;
  readonly isOf: (asked: HostConfig) => boolean;
  /** @param found by the pattern's group. */
  readonly words: (asked: HostConfig, found: string) => readonly [message: string, hint: string];
}

const REFUSALS: readonly Refusal[] = [
  {
    // libnetwork's ErrNoSuchNetwork (moby), ErrNoSuchNetwork (containers/common, of Podman).
    said: /network .{0,300}\bnot found\b|unable to find network/i,
    isOf: ({ NetworkMode }) => NetworkMode !== undefined,
    words: ({ NetworkMode }) => [
      `The Docker Engine has no network "${NetworkMode}"`,
      "docker network ls lists all; docker network create makes one.",
    ],
  },
  {
    // `errIncompatibleDeviceRequest` (moby, daemon/devices.go); from 28 on daemon/nvidia_linux.go.
    said: /could not select device driver|no known GPU vendor/i,
    isOf: ({ DeviceRequests }) => DeviceRequests !== undefined,
    words: () => [
      "The Docker Engine has no GPUs for containers",
      "It needs NVIDIA's driver and container toolkit (nvidia-ctk runtime configure). Without " +
      "--gpus, the code runs on the CPUs.",
    ],
  },
  {
    // What NVIDIA's hook and Podman's CDI say of a device.
    said: /nvidia-container-cli|unresolvable CDI devices?|unknown device/i,
    isOf: ({ DeviceRequests }) => DeviceRequests !== undefined,
    words: () => [
      "The Docker Engine cannot give the container these GPUs",
      "nvidia-smi -L lists what there is.",
    ],
  },
  {
    // `verifyPlatformContainerResources` (moby, daemon/daemon_unix.go), as the next one.
    said: /range of CPUs is from/i,
    isOf: ({ NanoCpus = 0 }) => NanoCpus > 0,
    words: ({ NanoCpus = 0 }) => [
      `The Docker Engine has fewer than ${NanoCpus / 1e9} CPUs`,
      "Give a lower number with --cpus, or leave it out: the code can then use all.",
    ],
  },
  {
    said: /NanoCPUs can not be set/i,
    isOf: ({ NanoCpus = 0 }) => NanoCpus > 0,
    words: () => UNLIMITED.cpus,
  },
  {
    // rootlesskit's (pkg/port/builtin/parent), which rootless Docker and rootless Podman run.
    said: /cannot expose privileged port (\d+)/i,
    isOf: ({ PortBindings }) => PortBindings !== undefined,
    words: (_, port) => [
      `A rootless engine cannot publish port ${port}`,
      "Choose a port from 1024 on with --port or --publish. (sysctl " +
      "net.ipv4.ip_unprivileged_port_start is the lowest that your system gives to other users " +
      "than root.)",
    ],
  },
];

/** The error in the user's terms; `undefined` where it is about something else. */
export function resourceRefusal(
  { HostConfig }: Pick<CreateBody, "HostConfig">,
  error: unknown,
): MlcliError | undefined {
  if (!(error instanceof EngineError)) return undefined;
  const { reason } = error;
  const refusal = REFUSALS.find(({ said, isOf }) => isOf(HostConfig) && said.test(reason));
  if (refusal === undefined) return undefined;
  const [message, hint] = refusal.words(HostConfig, refusal.said.exec(reason)?.[1] ?? "");
  return new MlcliError(message, { quote: reason, hint, cause: error });
}

/**
 * A limit that the engine would take, and not keep: the code would have more here than it was to have,
 * and nobody would know. `undefined` where it keeps all that are asked for.
 */
export function limitRefusal(
  { HostConfig: { Memory, NanoCpus } }: Pick<CreateBody, "HostConfig">,
  info: EngineInfo,
): MlcliError | undefined {
  const missing = unlimitedBy(info);
  const [message, hint] = Memory !== undefined && missing.includes("memory")
    ? UNLIMITED.memory
    : NanoCpus !== undefined && missing.includes("cpus")
    ? UNLIMITED.cpus
    : [];
  return message === undefined ? undefined : new MlcliError(message, { hint });
}

/** @throws MlcliError where the engine has but one network, and another is asked for. */
export function requireNetwork(
  { inStudio }: Pick<Engine, "inStudio">,
  network: string | undefined,
): void {
  if (!inStudio || network === undefined || network === STUDIO_NETWORK) return;
  throw new MlcliError(`SageMaker Studio lets containers have no network but "${STUDIO_NETWORK}"`, {
    hint: network === "none"
      ? "Without a network (none, --network-isolation), code runs on SageMaker, or on another " +
        "engine."
      : `Leave --network ${network} out, or "network" in the app's NAME.json: what listens in the ` +
        "space is at 127.0.0.1 for the code, too.",
  });
}

/** @throws MlcliError if the engine publishes no ports, and one is to be published. */
export function requirePublishing(
  { inStudio }: Pick<Engine, "inStudio">,
  { ports }: Pick<BatchJob, "ports">,
): void {
  if (!inStudio || ports.length === 0) return;
  throw new MlcliError("SageMaker Studio publishes no ports of containers", {
    hint: "Leave --publish out: a port that your code listens on is a port of the space itself.",
  });
}

/** Podman (4.3.1) takes a request for GPUs and forgets it: the code would run without, and not know. */
export function noGpusOnPodman(): MlcliError {
  return new MlcliError("Podman gives no GPUs to containers through Docker's API", {
    hint: "Use a Docker Engine (DOCKER_HOST names one), or leave --gpus out.",
  });
}
