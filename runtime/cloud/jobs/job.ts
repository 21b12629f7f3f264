import { shellWord } from "../../app/typed_path.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type {
  ProcessingJobDetails,
  TrainingJobDetails,
  TransformJobDetails,
} from "../../aws/sagemaker_jobs.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { consoleAddress } from "../../contract/console.ts";
import type { JobKind } from "../../contract/jobs.ts";

/** Which job: names are unique among those of a kind. */
export interface JobName {
  readonly kind: JobKind;
  readonly name: string;
}

/** A step of a training job, as the service tells it. */
export interface Transition {
  /** `Starting`, `Downloading`, `Training`, `Uploading`, ... */
  readonly status: string;
  /** The service's words about it; they may change while the step lasts. */
  readonly message: string;
  readonly startTime: Date;
}

/** Data of a job: a channel, an input or an output. */
export interface JobData {
  readonly name: string;
  readonly uri: string;
}

/** A job, with what SageMaker says of all kinds under one name. */
export interface CloudJob extends JobName {
  readonly arn: string | undefined;
  /** Whatever the service sends: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`. */
  readonly status: string;
  /** Of training: where it is, or how it was stopped (`MaxRuntimeExceeded`); else `undefined`. */
  readonly secondaryStatus: string | undefined;
  /** Of training: its steps, oldest first. */
  readonly transitions: readonly Transition[];
  readonly failureReason: string | undefined;
  /** Of processing: the code's exit message. */
  readonly exitMessage: string | undefined;
  readonly creationTime: Date;
  /** When the code began; `undefined` until then. */
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  /** Repository with tag or digest; `undefined` where only the model of a transform has it. */
  readonly image: string | undefined;
  readonly role: string | undefined;
  readonly instanceType: string | undefined;
  readonly instanceCount: number;
  readonly isSpot: boolean;
  /** Seconds that it may run. */
  readonly maxRuntime: number | undefined;
  /** Seconds that the code ran, and that are billed, for each instance. */
  readonly trainingSeconds: number | undefined;
  readonly billableSeconds: number | undefined;
  readonly inputs: readonly JobData[];
  /** Where results go: of training the address below which its artifacts lie. */
  readonly outputs: readonly JobData[];
  /** Of training: the address of model.tar.gz, once the service names it. */
  readonly artifact: string | undefined;
  /** Of a transform: the name of its model, and how requests are made, by mlcli's options. */
  readonly model: string | undefined;
  readonly options: Readonly<Record<string, string | number>>;
  readonly hyperparameters: Readonly<Record<string, string>>;
  /** Names of the variables; their values may be secrets. */
  readonly variables: readonly string[];
}

const ENDED = new Set(["Completed", "Failed", "Stopped"]);

export function hasEnded({ status }: Pick<CloudJob, "status">): boolean {
  return ENDED.has(status);
}

export type Kind = JobKind | "endpoint";

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  train: "training job",
  process: "processing job",
  transform: "transform job",
  endpoint: "endpoint",
};

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

/** What the service has begun to make or to change. More of it has not been asked. */
export interface Begun {
  readonly kind: Kind;
  readonly name: string;
  /** `undefined` where the answer was lost. */
  readonly arn: string | undefined;
}

/** Where the console shows what has begun: a line. */
export function noteConsole({ arn, name }: Begun, report: { note(text: string): void }): void {
  const address = consoleAddress(arn, name);
  if (address !== undefined) report.note(`Console: ${address}`);
}

/** Makes the command line of a command about a job: `mlcli wait NAME --region eu-west-1`. */
export type JobCommand = (command: string, ...options: string[]) => string;

/**
 * Command lines about a job.
 * @param choice the options of the command that asks.
 */
export function commandFor(name: string, choice: Partial<AwsOptions> = {}): JobCommand {
  return (command, ...options) =>
    ["mlcli", command, name, ...options, ...optionsOf(choice)].join(" ");
}

/** Region, profile and role as options of a command line. */
export function optionsOf({ region, profile, iamRoleArn }: Partial<AwsOptions>): readonly string[] {
  return [["--region", region], ["--profile", profile], ["--iam-role-arn", iamRoleArn]]
    .flatMap(([option, value]) => value === undefined ? [] : [option!, shellWord(value)]);
}

/** What to do about a job that runs on after the command has ended. */
export function goesOn(command: JobCommand, status: string | undefined): string {
  const result = `Its result: ${command("wait")}.`;
  if (status === "Stopping") return `The job is being stopped. ${result}`;
  return `The job goes on. Its log: ${command("logs", "--follow")}. ${result} ` +
    `To stop it: ${command("stop-job")}.`;
}
