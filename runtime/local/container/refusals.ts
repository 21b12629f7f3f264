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
    "Remove --memory. To limit memory, a rootless engine requires cgroup v2 with its memory controller.",
  ],
  cpus: [
    "The Docker Engine cannot limit CPUs",
    "Remove --cpus. To limit CPUs, a rootless engine requires cgroup v2 with its cpu controller.",
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
      `Network "${NetworkMode}" does not exist in the Docker Engine`,
      "Choose an existing network (docker network ls), or create one (docker network create NAME)",
    ],
  },
  {
    // `errIncompatibleDeviceRequest` (moby, daemon/devices.go); from 28 on daemon/nvidia_linux.go.
    said: /could not select device driver|no known GPU vendor/i,
    isOf: ({ DeviceRequests }) => DeviceRequests !== undefined,
    words: () => [
      "The Docker Engine cannot provide GPUs to containers",
      "Install NVIDIA's driver and container toolkit (nvidia-ctk runtime configure), or remove " +
      "--gpus to run on the CPUs",
    ],
  },
  {
    // What NVIDIA's hook and Podman's CDI say of a device.
    said: /nvidia-container-cli|unresolvable CDI devices?|unknown device/i,
    isOf: ({ DeviceRequests }) => DeviceRequests !== undefined,
    words: () => [
      "The Docker Engine cannot provide the requested GPUs",
      "Request only GPUs from this list with --gpus: nvidia-smi -L",
    ],
  },
  {
    // `verifyPlatformContainerResources` (moby, daemon/daemon_unix.go), as the next one.
    said: /range of CPUs is from/i,
    isOf: ({ NanoCpus = 0 }) => NanoCpus > 0,
    words: ({ NanoCpus = 0 }) => [
      `The Docker Engine has fewer than ${NanoCpus / 1e9} CPUs`,
      "Lower --cpus, or remove it to use all CPUs",
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
      `The Docker Engine is rootless, so it cannot publish port ${port}`,
      "Choose port 1024 or higher with --port or --publish. To allow lower ports, root can change " +
      "sysctl net.ipv4.ip_unprivileged_port_start.",
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
  throw new MlcliError(`SageMaker Studio supports only the container network "${STUDIO_NETWORK}"`, {
    hint: network === "none"
      ? "To run code without a network, use another Docker Engine or SageMaker"
      : `Remove --network ${network}, or "network" in NAME.json: the code can reach all servers of ` +
        "the space at 127.0.0.1",
  });
}

/** @throws MlcliError if the engine publishes no ports, and one is to be published. */
export function requirePublishing(
  { inStudio }: Pick<Engine, "inStudio">,
  { publish }: Pick<BatchJob, "publish">,
): void {
  if (!inStudio || publish.length === 0) return;
  throw new MlcliError("SageMaker Studio does not support publishing container ports", {
    hint: "Remove --publish: a port that your code listens on is already a port of the space",
  });
}

/** Podman (4.3.1) takes a request for GPUs and forgets it: the code would run without, and not know. */
export function noGpusOnPodman(): MlcliError {
  return new MlcliError("Podman does not support GPUs through Docker's API", {
    hint: "Use a Docker Engine (set DOCKER_HOST), or remove --gpus",
  });
}
