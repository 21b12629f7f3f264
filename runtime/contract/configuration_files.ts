/**
 * The configuration files that SageMaker puts into a container, as data. Shapes: AWS developer
 * guide, "How Amazon SageMaker AI Provides Training Information" and "... Processing ...".
 *
 * @module
 */

import { HOST, PATHS } from "./jobs.ts";

/** File name to JSON value. */
export type ConfigurationFiles = Readonly<Record<string, unknown>>;

const RESOURCES = {
  current_host: HOST,
  hosts: [HOST],
  network_interface_name: "eth0",
};

/**
 * The files of `/opt/ml/input/config`.
 *
 * @param hyperparameters values as SageMaker sends them: strings.
 * @param channels names of the directories below `/opt/ml/input/data`.
 */
export function trainingFiles(
  hyperparameters: Readonly<Record<string, string>>,
  channels: readonly string[],
): ConfigurationFiles {
  const channel = {
    TrainingInputMode: "File",
    S3DistributionType: "FullyReplicated",
    RecordWrapperType: "None",
  };
  return {
    "hyperparameters.json": hyperparameters,
    "inputdataconfig.json": Object.fromEntries(channels.map((name) => [name, channel])),
    "resourceconfig.json": RESOURCES,
  };
}

/**
 * The files of `/opt/ml/config` of a processing job.
 *
 * @param entrypoint empty: the image's own.
 */
export function processingFiles(
  image: string,
  args: readonly string[],
  entrypoint: readonly string[] = [],
): ConfigurationFiles {
  return {
    "processingjobconfig.json": {
      AppSpecification: {
        ImageUri: image,
        ...(entrypoint.length === 0 ? {} : { ContainerEntrypoint: entrypoint }),
        ContainerArguments: args,
      },
      ProcessingInputs: [{
        InputName: "input",
        S3Input: { LocalPath: PATHS.processingInput, S3InputMode: "File" },
      }],
      ProcessingOutputConfig: {
        Outputs: [{ OutputName: "output", S3Output: { LocalPath: PATHS.processingOutput } }],
      },
    },
    "resourceconfig.json": RESOURCES,
  };
}
