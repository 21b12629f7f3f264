/** What SageMaker says of each kind of jobs, under the names of all kinds. */

import type { SageMaker } from "../../aws/sagemaker.ts";
import type {
  ProcessingJobDetails,
  TrainingJobDetails,
  TransformJobDetails,
} from "../../aws/sagemaker_jobs.ts";
import type { JobKind } from "../../contract/jobs.ts";
import type { CloudJob, JobName } from "./job.ts";

/**
 * Asks what SageMaker says of a job.
 * @throws AwsError, "not found" where there is none of that kind and name.
 */
export function describeJob(
  sagemaker: DescribeJobs,
  { kind, name }: JobName,
): Promise<CloudJob> {
  return DESCRIBED[kind](sagemaker, name);
}

export type DescribeJobs = Pick<
  SageMaker,
  "describeTrainingJob" | "describeProcessingJob" | "describeTransformJob"
>;

const DESCRIBED: {
  readonly [Kind in JobKind]: (sagemaker: DescribeJobs, name: string) => Promise<CloudJob>;
} = {
  train: async (sagemaker, name) => trainingJob(name, await sagemaker.describeTrainingJob(name)),
  process: async (sagemaker, name) =>
    processingJob(name, await sagemaker.describeProcessingJob(name)),
  transform: async (sagemaker, name) =>
    transformJob(name, await sagemaker.describeTransformJob(name)),
};

/** What trainings alone have. */
const NOT_A_TRAINING = {
  secondaryStatus: undefined,
  transitions: [],
  isSpot: false,
  trainingSeconds: undefined,
  artifact: undefined,
  hyperparameters: {},
} as const;

/** What transforms alone have. */
const NOT_A_TRANSFORM = { model: undefined, options: {} } as const;

export function trainingJob(name: string, details: TrainingJobDetails): CloudJob {
  const { ResourceConfig, StoppingCondition } = details;
  const output = details.OutputDataConfig?.S3OutputPath;
  return {
    ...NOT_A_TRANSFORM,
    kind: "train",
    name: details.TrainingJobName ?? name,
    arn: details.TrainingJobArn,
    status: details.TrainingJobStatus ?? "",
    secondaryStatus: details.SecondaryStatus,
    transitions: (details.SecondaryStatusTransitions ?? []).map((one) => ({
      status: one.Status ?? "",
      message: one.StatusMessage ?? "",
      startTime: one.StartTime ?? new Date(0),
    })),
    failureReason: details.FailureReason || undefined,
    exitMessage: undefined,
    creationTime: details.CreationTime ?? new Date(0),
    startTime: details.TrainingStartTime,
    endTime: details.TrainingEndTime,
    image: details.AlgorithmSpecification?.TrainingImage,
    role: details.RoleArn,
    instanceType: ResourceConfig?.InstanceType ?? ResourceConfig?.InstanceGroups?.[0]?.InstanceType,
    instanceCount: ResourceConfig?.InstanceCount ??
      (ResourceConfig?.InstanceGroups ?? []).reduce(
        (sum, one) => sum + (one.InstanceCount ?? 0),
        0,
      ),
    isSpot: details.EnableManagedSpotTraining ?? false,
    maxRuntime: StoppingCondition?.MaxRuntimeInSeconds,
    trainingSeconds: details.TrainingTimeInSeconds,
    billableSeconds: details.BillableTimeInSeconds,
    inputs: (details.InputDataConfig ?? []).map((channel) => ({
      name: channel.ChannelName ?? "",
      uri: channel.DataSource?.S3DataSource?.S3Uri ?? "",
    })),
    outputs: output === undefined ? [] : [{ name: "model", uri: output }],
    artifact: details.ModelArtifacts?.S3ModelArtifacts || undefined,
    hyperparameters: details.HyperParameters ?? {},
    variables: Object.keys(details.Environment ?? {}),
  };
}

export function processingJob(name: string, details: ProcessingJobDetails): CloudJob {
  const cluster = details.ProcessingResources?.ClusterConfig;
  return {
    ...{ ...NOT_A_TRAINING, ...NOT_A_TRANSFORM },
    kind: "process",
    name: details.ProcessingJobName ?? name,
    arn: details.ProcessingJobArn,
    status: details.ProcessingJobStatus ?? "",
    failureReason: details.FailureReason || undefined,
    exitMessage: details.ExitMessage || undefined,
    creationTime: details.CreationTime ?? new Date(0),
    startTime: details.ProcessingStartTime,
    endTime: details.ProcessingEndTime,
    image: details.AppSpecification?.ImageUri,
    role: details.RoleArn,
    instanceType: cluster?.InstanceType,
    instanceCount: cluster?.InstanceCount ?? 1,
    maxRuntime: details.StoppingCondition?.MaxRuntimeInSeconds,
    billableSeconds: undefined,
    inputs: (details.ProcessingInputs ?? []).map((input) => ({
      name: input.InputName ?? "",
      uri: input.S3Input?.S3Uri ?? "",
    })),
    outputs: (details.ProcessingOutputConfig?.Outputs ?? []).map((output) => ({
      name: output.OutputName ?? "",
      uri: output.S3Output?.S3Uri ?? "",
    })),
    variables: Object.keys(details.Environment ?? {}),
  };
}

export function transformJob(name: string, details: TransformJobDetails): CloudJob {
  const { TransformInput: input, TransformOutput: output, TransformResources: machines } = details;
  const { TransformStartTime: startTime, TransformEndTime: endTime } = details;
  const data = (name: string, uri: string | undefined) => uri ? [{ name, uri }] : [];
  return {
    ...NOT_A_TRAINING,
    kind: "transform",
    name: details.TransformJobName ?? name,
    arn: details.TransformJobArn,
    status: details.TransformJobStatus ?? "",
    failureReason: details.FailureReason || undefined,
    exitMessage: undefined,
    creationTime: details.CreationTime ?? new Date(0),
    ...{ startTime, endTime },
    // Its model has them.
    image: undefined,
    role: undefined,
    instanceType: machines?.InstanceType,
    instanceCount: machines?.InstanceCount ?? 1,
    maxRuntime: undefined,
    // API reference: "You are billed for the time interval between" the two.
    billableSeconds: startTime && endTime && Math.ceil((+endTime - +startTime) / 1_000),
    inputs: data("input", input?.DataSource?.S3DataSource?.S3Uri),
    outputs: data("output", output?.S3OutputPath),
    model: details.ModelName,
    options: optionsIn(details),
    variables: Object.keys(details.Environment ?? {}),
  };
}

/** What shapes its requests, by the options of `mlcli transform`; SageMaker names no defaults. */
function optionsIn(details: TransformJobDetails): CloudJob["options"] {
  const { TransformInput, TransformOutput, DataProcessing, ModelClientConfig } = details;
  return Object.fromEntries(
    Object.entries({
      "--content-type": TransformInput?.ContentType,
      "--accept": TransformOutput?.Accept,
      "--split": TransformInput?.SplitType?.toLowerCase(),
      "--strategy": details.BatchStrategy?.replace("Record", "").toLowerCase(),
      "--assemble": TransformOutput?.AssembleWith?.toLowerCase(),
      "--max-payload": details.MaxPayloadInMB,
      "--max-concurrency": details.MaxConcurrentTransforms || undefined,
      "--compression": TransformInput?.CompressionType?.toLowerCase(),
      "--input-filter": DataProcessing?.InputFilter,
      "--output-filter": DataProcessing?.OutputFilter,
      "--join": DataProcessing?.JoinSource?.toLowerCase(),
      "--invocation-timeout": ModelClientConfig?.InvocationsTimeoutInSeconds,
      "--invocation-retries": ModelClientConfig?.InvocationsMaxRetries,
    }).filter((option): option is [string, string | number] => option[1] !== undefined),
  );
}
