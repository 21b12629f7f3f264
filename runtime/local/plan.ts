/**
 * Which container to create for a role, as pure data: from an app's layout and the command's
 * options to the body of the Engine's create call.
 *
 * @module
 */

import type { CreateBody, Mount } from "../docker/engine.ts";
import type { Layout } from "../app/layout.ts";
import { VERSION } from "../version.ts";
import type { Channel } from "./channels.ts";
import { HOST } from "../contract/configuration_files.ts";

/** What a container of mlcli is for. */
export type Role = "train" | "process" | "serve";

/** The labels of mlcli's containers: each has all of them, since it inherits others of its image. */
export const LABELS = {
  app: "mlcli.app",
  role: "mlcli.role",
  port: "mlcli.port",
  version: "mlcli.version",
} as const;

/** Port that a server listens on in its container: the platform's contract. */
const SERVER_PORT = 8080;

/** What a container calls the machine that it runs on, with Docker and with Podman. */
const SERVER_HOSTS = ["host.docker.internal", "host.containers.internal"];

/** `/dev/shm` in bytes. Docker's 64 MB kill PyTorch's data loaders; this is a limit, not a claim. */
const SHARED_MEMORY = 2 * 1024 ** 3;

/**
 * Processes and threads of a container, at most: a fork bomb ends there, a data loader with hundreds
 * of workers does not. (The platform's instances have the kernel's limit, which is of that size.)
 */
export const MOST_PROCESSES = 32_768;

/** What all roles have in common: what the user asked for. */
export interface PlanInput {
  readonly app: string;
  readonly layout: Layout;
  /** `name:tag` */
  readonly image: string;
  /** Memory limit in bytes; none when undefined. */
  readonly memory: number | undefined;
  /** The platform's region, for the user's code; nothing here talks to the platform. */
  readonly region: string | undefined;
  /** Whether programs of the image may gain privileges, as `sudo` does. */
  readonly allowPrivileges: boolean;
}

/** What is known of the image when a container is planned. */
export interface ImageInput {
  /** Whether an init is process 1, which passes SIGTERM on and buries orphans. */
  readonly withInit: boolean;
}

/** What a training container needs besides. */
export interface TrainInput extends PlanInput, ImageInput {
  readonly name: string;
  /** Host directory that becomes `/opt/ml/input/config`. */
  readonly configFolder: string;
  /** Host directory in the place of the layout's `input`, in which each channel is mounted. */
  readonly inputFolder: string | undefined;
  /** Of use where they are mounted each by itself. */
  readonly channels: readonly Channel[];
}

/** What a processing container needs besides. */
export interface ProcessInput extends PlanInput, ImageInput {
  readonly name: string;
  /** The script, relative to `processing/`. */
  readonly file: string;
  /** Host directory that becomes `/opt/ml/config`. */
  readonly configFolder: string;
  /** Host directory that becomes `/opt/ml/processing/input`. */
  readonly input: string;
}

/** What a server's container needs besides. */
export interface ServeInput extends PlanInput, ImageInput {
  /** The container's name. */
  readonly name: string;
  /** Names of the server besides those that it has by itself; in lower case. */
  readonly allowedHosts: readonly string[];
  /** Port on the host. */
  readonly port: number;
}

/** The container of `local train`. */
export function trainPlan(input: TrainInput): CreateBody {
  const { layout } = input;
  return {
    Image: input.image,
    Cmd: ["train"],
    Hostname: HOST,
    Env: environment({
      ...pathVariables(),
      ...regionVariables(input.region),
      TRAINING_JOB_NAME: input.name,
    }),
    Labels: labels({ app: input.app, role: "train" }),
    HostConfig: runToEnd(input, [
      readOnly(layout.training, "/opt/ml/code"),
      ...inputMounts(input),
      writable(layout.model, "/opt/ml/model"),
      writable(layout.output, "/opt/ml/output"),
    ]),
  };
}

/** `/opt/ml/input`: as a whole, or where channels lie apart, put together of them. */
function inputMounts(
  { layout, configFolder, inputFolder, channels }: TrainInput,
): readonly Mount[] {
  const config = readOnly(configFolder, "/opt/ml/input/config");
  if (inputFolder === undefined) return [readOnly(layout.input, "/opt/ml/input"), config];
  return [
    readOnly(inputFolder, "/opt/ml/input"),
    config,
    ...channels.map(({ name, source }) => readOnly(source, `/opt/ml/input/data/${name}`)),
  ];
}

/** The container of `local process`. */
export function processPlan(input: ProcessInput): CreateBody {
  const { layout } = input;
  return {
    Image: input.image,
    Cmd: processCommand(input.file),
    Hostname: HOST,
    Env: environment({ ...pathVariables(), ...regionVariables(input.region) }),
    Labels: labels({ app: input.app, role: "process" }),
    HostConfig: runToEnd(input, [
      readOnly(layout.processing, "/opt/ml/code"),
      readOnly(input.configFolder, "/opt/ml/config"),
      readOnly(layout.input, "/opt/ml/input"),
      readOnly(input.input, "/opt/ml/processing/input"),
      writable(layout.output, "/opt/ml/processing/output"),
      writable(layout.model, "/opt/ml/model"),
      writable(layout.output, "/opt/ml/output"),
    ]),
  };
}

/** The arguments that run a processing script. */
export function processCommand(file: string): readonly string[] {
  return ["process", file];
}

/** The container of `local deploy`. It stays until `local stop`, so that its log can be read. */
export function servePlan(input: ServeInput): CreateBody {
  const { layout } = input;
  const port = `${SERVER_PORT}/tcp`;
  return {
    Image: input.image,
    Cmd: ["serve"],
    Env: environment({
      ...pathVariables(),
      ...regionVariables(input.region),
      MLCLI_ALLOWED_HOSTS: [...SERVER_HOSTS, input.name, ...input.allowedHosts].join(" "),
    }),
    Labels: labels({ app: input.app, role: "serve", port: input.port }),
    ExposedPorts: { [port]: {} },
    HostConfig: {
      AutoRemove: false,
      ...limits(input),
      Mounts: [
        readOnly(layout.prediction, "/opt/ml/code"),
        // As on the platform, where a server cannot write to its model.
        readOnly(layout.model, "/opt/ml/model"),
      ],
      // Loopback only: a model under test is not for the whole network.
      PortBindings: { [port]: [{ HostIp: "127.0.0.1", HostPort: String(input.port) }] },
    },
  };
}

function runToEnd(
  input: PlanInput & ImageInput,
  mounts: readonly Mount[],
): CreateBody["HostConfig"] {
  return {
    // By the engine, so that the container goes even when mlcli was killed.
    AutoRemove: true,
    // The output goes to mlcli as it comes: a second copy on the disk would serve nobody.
    LogConfig: { Type: "none" },
    ...limits(input),
    Mounts: mounts,
  };
}

/** What a container may take, and what it may do. */
function limits(
  { memory, allowPrivileges, withInit }: PlanInput & ImageInput,
): Omit<CreateBody["HostConfig"], "AutoRemove" | "Mounts"> {
  return {
    ShmSize: SHARED_MEMORY,
    // No swap beyond the limit: the platform has none.
    ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
    PidsLimit: MOST_PROCESSES,
    // In a mounted directory a device node would be one of this machine, and a file's capabilities
    // would be for whoever runs it here.
    CapDrop: ["MKNOD", "SETFCAP"],
    ...(allowPrivileges ? {} : { SecurityOpt: [NO_NEW_PRIVILEGES] }),
    ...(withInit ? { Init: true } : {}),
  };
}

/** Programs with setuid, and those with capabilities of their own, run without them. */
export const NO_NEW_PRIVILEGES = "no-new-privileges";

/** What a container is called by its labels; empty where that is of no use. */
export function labels(
  { app = "", role = "", port = "" }: { app?: string; role?: Role | ""; port?: number | "" },
): Record<string, string> {
  return {
    [LABELS.app]: app,
    [LABELS.role]: role,
    [LABELS.port]: String(port),
    [LABELS.version]: VERSION,
  };
}

/**
 * The specification's `ML_*`, and the `SM_*` of the same meaning. The others (`SM_HPS`, ...) are up
 * to what sets them on the platform, too: a toolkit in the image, as mlcli's harness is one.
 */
function pathVariables(): Record<string, string> {
  return {
    ML_MODEL_DIR: "/opt/ml/model",
    ML_INPUT_DIR: "/opt/ml/input",
    ML_OUTPUT_DIR: "/opt/ml/output",
    ML_CHANNEL_TRAINING: "/opt/ml/input/data/training",
    SM_MODEL_DIR: "/opt/ml/model",
    SM_INPUT_DIR: "/opt/ml/input",
    SM_INPUT_CONFIG_DIR: "/opt/ml/input/config",
    SM_OUTPUT_DIR: "/opt/ml/output",
    SM_OUTPUT_DATA_DIR: "/opt/ml/output/data",
    SM_CHANNEL_TRAINING: "/opt/ml/input/data/training",
  };
}

function regionVariables(region: string | undefined): Record<string, string> {
  return region === undefined ? {} : { AWS_REGION: region };
}

function environment(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

function readOnly(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: true };
}

/** A mount that the container may write to. */
export function writable(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: false };
}
