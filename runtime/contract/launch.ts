/**
 * How the user's code comes into an image, and what starts it there, as AWS's SDKs have it: for local
 * runs and for jobs on SageMaker.
 *
 * Sources: the SageMaker Python SDK 2.257 (`fw_utils.py`, `estimator.py`) and sagemaker-training 5.1.4,
 * which its framework images hold; API reference, `AlgorithmSpecification`.
 */

import { PATHS, processingArguments, TRAINING_ARGUMENTS } from "./jobs.ts";

/**
 * What runs an entry point: AWS's toolkit in the image, mlcli's start script, or nothing but the image's
 * own `train`.
 */
export const LAUNCHERS = ["toolkit", "script", "image"] as const;

export type Launcher = typeof LAUNCHERS[number];

/** What starts the processes of a training, on one host or several. */
export const DISTRIBUTIONS = ["torchrun"] as const;

export type Distribution = typeof DISTRIBUTIONS[number];

/** The channel of the code, by the name that AWS's SDKs give it. */
export const CODE_CHANNEL = "code";

/** Channels that have code and no data: with the second, SDK v3 sends its own programs. */
export const CODE_CHANNELS: readonly string[] = [CODE_CHANNEL, "sm_drivers"];

/** In that channel: the directory of the code, with its files at the top. */
export const CODE_ARCHIVE = "sourcedir.tar.gz";

/** In that channel, for the launcher `script`. */
export const START_SCRIPT = "start.sh";

/** An entry point as the code's archive has it: without `./`. */
export function entryPointOf(text: string): string {
  return text.replace(/^(\.\/+)+/, "");
}

const CODE_PATH = `${PATHS.inputData}/${CODE_CHANNEL}`;

const SHELL = "/bin/sh";

/** What a training runs. */
export type Program =
  /** The image's own. */
  | { readonly launcher: "image"; readonly distribution?: Distribution | undefined }
  /** What is named in the place of the image's entry point, and its arguments. */
  | {
    readonly launcher: "command";
    readonly command: readonly string[];
    readonly arguments: readonly string[];
  }
  | {
    readonly launcher: "toolkit" | "script";
    /** A file of the code: `train.py`. */
    readonly entryPoint: string;
    readonly distribution?: Distribution | undefined;
  };

/** What a job or a container is started with. */
export interface Launch {
  /** `ContainerEntrypoint`; `undefined`: the image's own. */
  readonly entrypoint: readonly string[] | undefined;
  /** `ContainerArguments`; `undefined`: none are named, which means `train` to SageMaker. */
  readonly arguments: readonly string[] | undefined;
  /** What AWS's toolkit and mlcli's harness need beside the user's; each value in JSON, as SDK v2 sends it. */
  readonly hyperparameters: Readonly<Record<string, string>>;
}

export function launchOf(
  program: Program,
  job: { readonly name: string; readonly region: string },
): Launch {
  const isDistributed = program.launcher !== "command" && program.distribution !== undefined;
  const hyperparameters = isDistributed ? TORCHRUN : {};
  const own = { entrypoint: undefined, arguments: undefined, hyperparameters };
  switch (program.launcher) {
    case "image":
      return own;
    case "command":
      return { ...own, entrypoint: program.command, arguments: program.arguments };
    case "script":
      return {
        ...own,
        entrypoint: [SHELL],
        arguments: [`${CODE_PATH}/${START_SCRIPT}`, program.entryPoint],
      };
    case "toolkit":
      return {
        ...own,
        hyperparameters: { ...toolkitParameters(program.entryPoint, job), ...hyperparameters },
      };
  }
}

/** What a processing job is started with. No toolkit of AWS's runs one. */
export interface ProcessingLaunch extends Pick<Launch, "entrypoint"> {
  readonly launcher: Exclude<Program["launcher"], "toolkit">;
  readonly arguments: readonly string[];
}

/**
 * An entry point is started as by the SDKs' `FrameworkProcessor`: by a shell's script.
 *
 * @param words further arguments.
 */
export function processingLaunchOf(
  command: readonly string[],
  entryPoint: string | undefined,
  file: string | undefined,
  words: readonly string[],
): ProcessingLaunch {
  if (command.length > 0) {
    return { launcher: "command", entrypoint: command, arguments: words };
  }
  if (entryPoint !== undefined) {
    const entrypoint = [SHELL, `${PATHS.processingCode}/${START_SCRIPT}`, entryPoint];
    return { launcher: "script", entrypoint, arguments: words };
  }
  const script = file === undefined ? [] : processingArguments(file);
  return { launcher: "image", entrypoint: undefined, arguments: [...script, ...words] };
}

/** SDK v2, `pytorch/estimator.py`; `sagemaker_instance_type` beside it is not read for torchrun. */
const TORCHRUN = { sagemaker_torch_distributed_enabled: "true" };

/** The five that SDK v2 sends (`Framework._set_hyperparameters`); 20 is `logging.INFO`. */
function toolkitParameters(
  entryPoint: string,
  { name, region }: { readonly name: string; readonly region: string },
): Readonly<Record<string, string>> {
  return {
    sagemaker_submit_directory: JSON.stringify(`${CODE_PATH}/${CODE_ARCHIVE}`),
    sagemaker_program: JSON.stringify(entryPoint),
    sagemaker_container_log_level: "20",
    sagemaker_job_name: JSON.stringify(name),
    sagemaker_region: JSON.stringify(region),
  };
}

/** In a model: the directory of the code that AWS's inference images run. */
export const MODEL_CODE = "code";

/**
 * The variables by which AWS's inference images find an entry point in the model's code (SDK v2.257,
 * `model.py`, lines 866 to 889).
 */
export function servingVariables(
  entryPoint: string,
  region: string,
): Readonly<Record<string, string>> {
  return {
    SAGEMAKER_PROGRAM: entryPoint,
    SAGEMAKER_SUBMIT_DIRECTORY: `${PATHS.model}/${MODEL_CODE}`,
    SAGEMAKER_CONTAINER_LOG_LEVEL: "20",
    SAGEMAKER_REGION: region,
  };
}

/** Whether a variable of these says which program is meant, and where it lies. */
export function isOfProgram(name: string): boolean {
  return name === "SAGEMAKER_PROGRAM" || name === "SAGEMAKER_SUBMIT_DIRECTORY";
}

/** The words of a container on an engine, to which SageMaker's `train` has to be said. */
export function commandOf({ arguments: words, entrypoint }: Launch): readonly string[] {
  return words ?? (entrypoint === undefined ? TRAINING_ARGUMENTS : []);
}

/** Set in the images of AWS's frameworks that hold the toolkit. */
const TOOLKIT_VARIABLE = "SAGEMAKER_TRAINING_MODULE";

/** What runs an entry point in an image, by the variables that the image sets: `NAME=VALUE`. */
export function launcherIn(variables: readonly string[]): Launcher {
  const hasToolkit = variables.some((variable) => variable.startsWith(`${TOOLKIT_VARIABLE}=`));
  return hasToolkit ? "toolkit" : "script";
}
