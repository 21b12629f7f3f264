/**
 * Which container to create for a job or a server, as pure data: from what is asked for and the
 * app's layout to the body of the Engine's create call.
 *
 * @module
 */

import { imageReference } from "../app/app.ts";
import { type Layout, layoutOf } from "../app/layout.ts";
import type { Channel } from "../contract/channels.ts";
import {
  HOST,
  PATHS,
  processingArguments,
  SERVER_PORT,
  SERVING_ARGUMENTS,
  TRAINING_ARGUMENTS,
} from "../contract/jobs.ts";
import {
  pathVariables,
  regionVariables,
  trainingVariables,
  type Variables,
} from "../contract/variables.ts";
import type { CreateBody, Mount } from "../docker/engine.ts";
import { MOST_PROCESSES, NO_LOG, NO_NEW_PRIVILEGES, readOnly, writable } from "./container/body.ts";
import { labels } from "./container/managed.ts";
import type { LocalJob, ServingJob } from "./jobs.ts";

/** What a container calls the machine that it runs on, with Docker and with Podman. */
const SERVER_HOSTS = ["host.docker.internal", "host.containers.internal"];

/** `/dev/shm` in bytes. Docker's 64 MB kill PyTorch's data loaders; this reserves nothing. */
const SHARED_MEMORY = 2 * 1024 ** 3;

/** What is known when a container is planned, besides what was asked for. */
interface Planned {
  /** The container's name. */
  readonly name: string;
  /** Whether an init is process 1, which passes SIGTERM on and reaps orphans. */
  readonly withInit: boolean;
}

/** What is known of a training. */
export interface PlannedTraining extends Planned {
  /** Host directory that becomes `/opt/ml/input/config`. */
  readonly configFolder: string;
  /** Host directory in the place of the layout's `input`, in which each channel is mounted. */
  readonly inputFolder: string | undefined;
  /** Used where each of them is mounted by itself. */
  readonly channels: readonly Channel[];
}

/** What is known of a processing job. */
export interface PlannedProcessing extends Planned {
  /** The script, relative to `processing/`, normalized. */
  readonly script: string;
  /** Host directory that becomes `/opt/ml/config`. */
  readonly configFolder: string;
  /** Host directory that becomes `/opt/ml/processing/input`. */
  readonly inputFolder: string;
}

/** What is known of a server. */
export interface PlannedServer extends Planned {
  /** Port on the host, a free one where any was asked for. */
  readonly port: number;
  /** Host directory that becomes `/opt/ml/model`. */
  readonly model: string;
}

/** The container of `local train`. */
export function trainPlan(job: LocalJob, planned: PlannedTraining): CreateBody {
  const { app } = job;
  const layout = layoutOf(app);
  return {
    Image: imageReference(app, job.tag),
    Cmd: TRAINING_ARGUMENTS,
    Hostname: HOST,
    Env: environment(commonVariables(job), trainingVariables(planned.name)),
    Labels: labels({ appName: app.name, role: "train" }),
    HostConfig: jobHostConfig(job, planned, [
      readOnly(layout.training, PATHS.code),
      ...inputMounts(layout, planned),
      writable(layout.model, PATHS.model),
      writable(layout.output, PATHS.output),
    ]),
  };
}

/** `/opt/ml/input`: one mount, or one for each channel where these lie in different places. */
function inputMounts(
  layout: Layout,
  { configFolder, inputFolder, channels }: PlannedTraining,
): readonly Mount[] {
  const config = readOnly(configFolder, PATHS.inputConfiguration);
  if (inputFolder === undefined) return [readOnly(layout.input, PATHS.input), config];
  return [
    readOnly(inputFolder, PATHS.input),
    config,
    ...channels.map(({ name, source }) => readOnly(source, `${PATHS.inputData}/${name}`)),
  ];
}

/** The container of `local process`. */
export function processPlan(job: LocalJob, planned: PlannedProcessing): CreateBody {
  const { app } = job;
  const layout = layoutOf(app);
  return {
    Image: imageReference(app, job.tag),
    Cmd: processingArguments(planned.script),
    Hostname: HOST,
    Env: environment(commonVariables(job)),
    Labels: labels({ appName: app.name, role: "process" }),
    HostConfig: jobHostConfig(job, planned, [
      readOnly(layout.processing, PATHS.code),
      readOnly(planned.configFolder, PATHS.configuration),
      readOnly(layout.input, PATHS.input),
      readOnly(planned.inputFolder, PATHS.processingInput),
      writable(layout.output, PATHS.processingOutput),
      writable(layout.model, PATHS.model),
      writable(layout.output, PATHS.output),
    ]),
  };
}

/** The container of `local deploy`. It stays until `local stop`, so that its log can be read. */
export function servePlan(job: ServingJob, planned: PlannedServer): CreateBody {
  const { app } = job;
  const layout = layoutOf(app);
  const port = `${SERVER_PORT}/tcp`;
  const hosts = [...SERVER_HOSTS, planned.name, ...job.allowedHosts];
  return {
    Image: imageReference(app, job.tag),
    Cmd: SERVING_ARGUMENTS,
    Env: environment(commonVariables(job), { MLCLI_ALLOWED_HOSTS: hosts.join(" ") }),
    Labels: labels({ appName: app.name, role: "serve", port: planned.port }),
    ExposedPorts: { [port]: {} },
    HostConfig: {
      AutoRemove: false,
      ...limits(job, planned),
      Mounts: [
        readOnly(layout.prediction, PATHS.code),
        // As on SageMaker, where a server cannot write to its model.
        readOnly(planned.model, PATHS.model),
      ],
      // Loopback only: a model under test is not for the whole network.
      PortBindings: { [port]: [{ HostIp: "127.0.0.1", HostPort: String(planned.port) }] },
    },
  };
}

function jobHostConfig(
  job: LocalJob,
  planned: Planned,
  mounts: readonly Mount[],
): CreateBody["HostConfig"] {
  return {
    // By the engine, so that the container is removed even when mlcli was killed.
    AutoRemove: true,
    LogConfig: NO_LOG,
    ...limits(job, planned),
    Mounts: mounts,
  };
}

/** What a container may take, and what it may do. */
function limits(
  { memory, allowPrivileges }: LocalJob,
  { withInit }: Planned,
): Omit<CreateBody["HostConfig"], "AutoRemove" | "Mounts"> {
  return {
    ShmSize: SHARED_MEMORY,
    // No swap beyond the limit: SageMaker has none.
    ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
    PidsLimit: MOST_PROCESSES,
    // In a mounted directory a device node would be one of this machine, and a file's capabilities
    // would be for whoever runs it here.
    CapDrop: ["MKNOD", "SETFCAP"],
    ...(allowPrivileges ? {} : { SecurityOpt: [NO_NEW_PRIVILEGES] }),
    ...(withInit ? { Init: true } : {}),
  };
}

function commonVariables({ app }: LocalJob): Variables {
  return { ...pathVariables(), ...regionVariables(app.configuration.cloudRegion) };
}

function environment(...groups: readonly Variables[]): readonly string[] {
  return groups.flatMap((group) => Object.entries(group)).map(([name, value]) =>
    `${name}=${value}`
  );
}
