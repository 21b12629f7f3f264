/**
 * The configuration files that the platform puts into a container, as data. Shapes: AWS developer
 * guide, "How Amazon SageMaker AI Provides Training Information" and "... Processing ...".
 *
 * @module
 */

/** File name to JSON value. */
export type ContractFiles = Readonly<Record<string, unknown>>;

/** The one host of a local run, named as the platform names the first of a cluster. */
export const HOST = "algo-1";

const RESOURCES = {
  current_host: HOST,
  hosts: [HOST],
  network_interface_name: "eth0",
};

/**
 * The files of `/opt/ml/input/config`.
 *
 * @param hyperparameters values as the platform sends them: strings.
 * @param channels names of the directories below `/opt/ml/input/data`.
 */
export function trainingFiles(
  hyperparameters: Readonly<Record<string, string>>,
  channels: readonly string[],
): ContractFiles {
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

/** The files of `/opt/ml/config` of a processing job. */
export function processingFiles(image: string, command: readonly string[]): ContractFiles {
  return {
    "processingjobconfig.json": {
      AppSpecification: { ImageUri: image, ContainerArguments: command },
      ProcessingInputs: [{
        InputName: "input",
        S3Input: { LocalPath: "/opt/ml/processing/input", S3InputMode: "File" },
      }],
      ProcessingOutputConfig: {
        Outputs: [{ OutputName: "output", S3Output: { LocalPath: "/opt/ml/processing/output" } }],
      },
    },
    "resourceconfig.json": RESOURCES,
  };
}
