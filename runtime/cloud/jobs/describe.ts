/** What SageMaker says of each kind of jobs, under the names of all kinds. */

import type { SageMaker } from "../../aws/sagemaker.ts";
import type { JobDetails } from "../../aws/sagemaker_jobs.ts";
import type { JobKind } from "../../contract/jobs.ts";
import type { CloudJob, JobName } from "./job.ts";

/**
 * Asks what SageMaker says of a job.
 * @throws AwsError, "not found" where there is none of that kind and name.
 */
export async function describeJob<Kind extends JobKind>(
  sagemaker: DescribeJobs,
  { kind, name }: JobName & { readonly kind: Kind },
): Promise<CloudJob> {
  const [summary, details] = await sagemaker.describeJob(kind, name);
  return {
    ...OF_SOME,
    ...{ ...summary, kind, name: summary.name || name },
    variables: Object.keys(details.Environment ?? {}),
    ...DESCRIBED[kind](details),
  };
}

export type DescribeJobs = Pick<SageMaker, "describeJob">;

/** What some kinds do not have. */
const OF_SOME = {
  ...{ secondaryStatus: undefined, transitions: [], isSpot: false, exitMessage: undefined },
  ...{ trainingSeconds: undefined, billableSeconds: undefined, maxRuntime: undefined },
  ...{ image: undefined, role: undefined, model: undefined, artifact: undefined },
  ...{ options: {}, hyperparameters: {}, groups: [] },
};

type Described =
  & Pick<CloudJob, "instanceType" | "instanceCount" | "inputs" | "outputs">
  & Partial<CloudJob>;

const DESCRIBED: {
  readonly [Kind in JobKind]: (details: JobDetails[Kind]) => Described;
} = { train: trainingJob, process: processingJob, transform: transformJob };

function trainingJob(details: JobDetails["train"]): Described {
  const { ResourceConfig } = details;
  const output = details.OutputDataConfig?.S3OutputPath;
  const groups = (ResourceConfig?.InstanceGroups ?? []).map((group) => ({
    name: group.InstanceGroupName ?? "",
    type: group.InstanceType ?? "",
    count: group.InstanceCount ?? 0,
  }));
  return {
    secondaryStatus: details.SecondaryStatus,
    transitions: (details.SecondaryStatusTransitions ?? []).map((one) => ({
      status: one.Status ?? "",
      message: one.StatusMessage ?? "",
      startTime: one.StartTime ?? new Date(0),
    })),
    image: details.AlgorithmSpecification?.TrainingImage,
    role: details.RoleArn,
    instanceType: ResourceConfig?.InstanceType,
    instanceCount: ResourceConfig?.InstanceCount ??
      groups.reduce((sum, { count }) => sum + count, 0),
    groups,
    isSpot: details.EnableManagedSpotTraining ?? false,
    maxRuntime: details.StoppingCondition?.MaxRuntimeInSeconds,
    trainingSeconds: details.TrainingTimeInSeconds,
    billableSeconds: details.BillableTimeInSeconds,
    inputs: (details.InputDataConfig ?? []).map((channel) => ({
      name: channel.ChannelName ?? "",
      uri: channel.DataSource?.S3DataSource?.S3Uri ?? "",
    })),
    outputs: dataOf("model", output),
    artifact: details.ModelArtifacts?.S3ModelArtifacts || undefined,
    hyperparameters: details.HyperParameters ?? {},
  };
}

function processingJob(details: JobDetails["process"]): Described {
  const cluster = details.ProcessingResources?.ClusterConfig;
  return {
    exitMessage: details.ExitMessage || undefined,
    image: details.AppSpecification?.ImageUri,
    role: details.RoleArn,
    instanceType: cluster?.InstanceType,
    instanceCount: cluster?.InstanceCount ?? 1,
    maxRuntime: details.StoppingCondition?.MaxRuntimeInSeconds,
    inputs: (details.ProcessingInputs ?? []).map((input) => ({
      name: input.InputName ?? "",
      uri: input.S3Input?.S3Uri ?? "",
    })),
    outputs: (details.ProcessingOutputConfig?.Outputs ?? []).map((output) => ({
      name: output.OutputName ?? "",
      uri: output.S3Output?.S3Uri ?? "",
    })),
  };
}

/** Its model has the image and the role. */
function transformJob(details: JobDetails["transform"]): Described {
  const { TransformInput: input, TransformOutput: output, TransformResources: machines } = details;
  const { TransformStartTime: start, TransformEndTime: end } = details;
  return {
    instanceType: machines?.InstanceType,
    instanceCount: machines?.InstanceCount ?? 1,
    // API reference: "You are billed for the time interval between" the two.
    billableSeconds: start && end && Math.ceil((+end - +start) / 1_000),
    inputs: dataOf("input", input?.DataSource?.S3DataSource?.S3Uri),
    outputs: dataOf("output", output?.S3OutputPath),
    model: details.ModelName,
    options: optionsIn(details),
  };
}

function dataOf(name: string, uri: string | undefined): CloudJob["inputs"] {
  return uri ? [{ name, uri }] : [];
}

/** What shapes its requests, by the keys of the app's file; SageMaker names no defaults. */
function optionsIn(details: JobDetails["transform"]): CloudJob["options"] {
  const { TransformInput, TransformOutput, DataProcessing, ModelClientConfig } = details;
  return Object.fromEntries(
    Object.entries({
      content_type: TransformInput?.ContentType,
      accept: TransformOutput?.Accept,
      split: TransformInput?.SplitType?.toLowerCase(),
      strategy: details.BatchStrategy?.replace("Record", "").toLowerCase(),
      assemble: TransformOutput?.AssembleWith?.toLowerCase(),
      max_payload: details.MaxPayloadInMB,
      max_concurrency: details.MaxConcurrentTransforms || undefined,
      compression: TransformInput?.CompressionType?.toLowerCase(),
      input_filter: DataProcessing?.InputFilter,
      output_filter: DataProcessing?.OutputFilter,
      join: DataProcessing?.JoinSource?.toLowerCase(),
      invocation_timeout: ModelClientConfig?.InvocationsTimeoutInSeconds,
      invocation_retries: ModelClientConfig?.InvocationsMaxRetries,
    }).filter((option): option is [string, string | number] => option[1] !== undefined),
  );
}
