/**
 * How SageMaker runs an app's image: its arguments, the paths that the user's code finds, and where
 * that code says why it failed. Sources: AWS developer guide, "How Amazon SageMaker AI Runs Your
 * Training Image", "... Runs Your Inference Code", "... Runs Your Processing Container Image".
 */

/** A job runs to its end: a program of the user's, or a server until it has answered a batch. */
export type JobKind = "train" | "process" | "transform";

export const JOB_KINDS = ["train", "process", "transform"] as const satisfies readonly JobKind[];

/** The jobs that run a program of the user's to its end. */
export type ProgramKind = Exclude<JobKind, "transform">;

/** What a container of an app is for. */
export type Role = JobKind | "serve";

export const JOBS = {
  train: { title: "Training", reasonFile: "failure" },
  process: { title: "Processing", reasonFile: "message" },
} as const satisfies Readonly<
  Record<ProgramKind, {
    /** For messages. */
    readonly title: string;
    /** The file in `PATHS.output` in which the code says why it failed. */
    readonly reasonFile: string;
  }>
>;

export const TRAINING_ARGUMENTS: readonly string[] = ["train"];

export const SERVING_ARGUMENTS: readonly string[] = ["serve"];

/**
 * The arguments with which mlcli's harness runs a processing script. (SageMaker passes on whatever a
 * processing job names.)
 *
 * @param file the script, relative to `processing/`, with slashes.
 */
export function processingArguments(file: string): readonly string[] {
  return ["process", file];
}

export const SERVER_PORT = 8080;

/** The one host of a local run, named as SageMaker names the first of a cluster. */
export const HOST = "algo-1";

/**
 * The same in SageMaker Studio, where a container has no name of its own on the network: what the
 * space calls itself (aws/sagemaker-python-sdk, local/image.py, STUDIO_HOST_NAME).
 */
export const STUDIO_HOST = "sagemaker-local";

/**
 * What SageMaker keeps of `/opt/ml/output` of a training, or reads: `data` becomes output.tar.gz,
 * `failure` and `message` are reasons, `metrics`, `profiler`, `tensors` and `tensorboard` are of the
 * Debugger and of TensorBoard (CreateTrainingJob: `DebugHookConfig`, `TensorBoardOutputConfig`). AWS's
 * training toolkit leaves an empty `success` (sagemaker-training 5.1.4, files.py).
 */
const KEPT_OUTPUT = [
  "data",
  "failure",
  "message",
  "metrics",
  "profiler",
  "success",
  "tensorboard",
  "tensors",
];

/** Whether SageMaker has a use for something of this name in `/opt/ml/output`. */
export function isKeptOutput(name: string): boolean {
  return KEPT_OUTPUT.includes(name);
}

export const PATHS = {
  code: "/opt/ml/code",
  input: "/opt/ml/input",
  inputConfiguration: "/opt/ml/input/config",
  /** Each directory in it is a channel. */
  inputData: "/opt/ml/input/data",
  model: "/opt/ml/model",
  output: "/opt/ml/output",
  outputData: "/opt/ml/output/data",
  /** Saved and restored if the job has a CheckpointConfig, whose default path this is. */
  checkpoints: "/opt/ml/checkpoints",
  /** Of a processing job. */
  configuration: "/opt/ml/config",
  processingInput: "/opt/ml/processing/input",
  /** Where AWS's SDKs have the code of a processing job, too. */
  processingCode: "/opt/ml/processing/input/code",
  processingOutput: "/opt/ml/processing/output",
} as const;

/** GPUs: all, so many, or those of these numbers or ids. */
export type Gpus = "all" | number | readonly string[];

/** What a container may take of the machine; `undefined`: what the engine gives by itself. */
export interface Resources {
  /** Memory limit in bytes; without it there is none. */
  readonly memory: number | undefined;
  /** Processors at most, such as 1.5; without it all. */
  readonly cpus: number | undefined;
  /** Size of `/dev/shm` in bytes; without it mlcli's own default. */
  readonly shmSize: number | undefined;
  /** Without it none. */
  readonly gpus: Gpus | undefined;
  /** `bridge`, `host`, `none`, or the name of a network of the engine. */
  readonly network: string | undefined;
}
