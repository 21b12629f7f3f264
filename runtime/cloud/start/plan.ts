import type { App } from "../../app/app.ts";
import { AwsError } from "../../aws/errors.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { ModelInput } from "../../aws/sagemaker.ts";
import type { JobInput, ProcessingJobInput, TrainingJobInput } from "../../aws/sagemaker_jobs.ts";
import { type S3Address, s3Uri } from "../../contract/addresses.ts";
import type { RemoteChannel } from "../../contract/channels.ts";
import { distributionOf } from "../../contract/hosts.ts";
import { hasOwnDisk, type InstanceGroup } from "../../contract/instances.ts";
import { PATHS } from "../../contract/jobs.ts";
import type { MetricDefinition } from "../../contract/metric_definitions.ts";
import type { NamedRepository } from "../../contract/registry.ts";
import type { Variables } from "../../contract/variables.ts";
import type { Launch, ProcessingLaunch } from "../../contract/launch.ts";
import type { PlacedData } from "../../contract/processing_data.ts";
import type { Setting } from "../../setting.ts";
import type { ProgramRequest } from "../../source/program.ts";
import { type Tagged, tagsOf } from "../tags.ts";

/**
 * Settings that jobs and endpoints share, under the names of their options, and what follows from them.
 */
export interface CloudRequest extends AwsOptions {
  readonly app: App;
  readonly dockerTag: string;
  /** Repository in ECR (default: the repository of the image's name). */
  readonly repository: NamedRepository | undefined;
  readonly ec2Type: string | undefined;
  /** ARN of the role that SageMaker assumes. */
  readonly executionRole: string | undefined;
  /** Environment variables of the user's code. */
  readonly variables: Variables;
  /** AWS tags. */
  readonly tags: Readonly<Record<string, string>>;
  readonly subnet: readonly Setting<string>[];
  readonly securityGroup: readonly string[];
  readonly kmsKey: Setting<string> | undefined;
  readonly dryRun: boolean;
  /** Whether mlcli starts without a question. */
  readonly yes: boolean;
  readonly wait: boolean;
}

export interface JobRequest extends CloudRequest {
  readonly baseJobName: string | undefined;
  readonly instanceCount: number;
  readonly networkIsolation: Setting<boolean>;
}

/** A job that runs a program. */
export interface ProgramJobRequest extends JobRequest {
  /** Disk of an instance, in GB. */
  readonly volumeSize: number;
  /** In seconds. */
  readonly maxRun: number;
  readonly program: ProgramRequest;
  /** Names of inputs whose objects are split between the instances, or `all`. */
  readonly shard: readonly string[];
}

export interface TrainingRequest extends ProgramJobRequest {
  readonly inputS3Dir: readonly RemoteChannel[];
  /** Replaces `ec2Type` and `instanceCount`. */
  readonly instanceGroup: readonly InstanceGroup[];
  readonly outputS3Dir: Setting<S3Address> | undefined;
  /** `key=value`; they win over those of `hyperparameters.json`, and later ones over earlier ones. */
  readonly hyperparameter: readonly string[];
  readonly spot: boolean;
  /** How long a job on spot instances can wait and run, in seconds. */
  readonly maxWait: number | undefined;
  readonly checkpointS3Dir: Setting<S3Address> | undefined;
  /** Whether the local training code replaces the code in the image. */
  readonly sendCode: boolean;
}

/** The program's arguments are also those of the script. */
export interface ProcessingRequest extends ProgramJobRequest {
  /** Script that runs unless `program` has code or a command; relative to `processing/`. */
  readonly file: string | undefined;
  readonly inputS3Location: readonly PlacedData<S3Address | undefined>[];
  /** Without a place, below the app's `s3_prefix`. */
  readonly outputS3Location: readonly Setting<PlacedData<S3Address | undefined>>[];
}

/** What is known of a checked job of any kind. */
export interface Planned
  extends
    Pick<JobRequest, "instanceCount" | "variables" | "tags">,
    Pick<JobRequest, "subnet" | "securityGroup" | "kmsKey" | "networkIsolation"> {
  readonly name: string;
  readonly appName: string;
  /** `REPOSITORY@sha256:...` */
  readonly image: string;
  readonly role: string;
  readonly instanceType: string;
}

/** Returns what a checked job takes over from its request. */
export function sharedPlan(
  request: JobRequest,
): Omit<Planned, "name" | "image" | "role" | "instanceType"> {
  const { app, instanceCount, variables, tags, subnet, securityGroup, kmsKey } = request;
  const { networkIsolation } = request;
  return {
    ...{ appName: app.name, instanceCount, variables, tags, subnet, securityGroup, kmsKey },
    networkIsolation,
  };
}

/** A checked job that runs a program. */
export interface PlannedJob extends Planned, Pick<ProgramJobRequest, "volumeSize" | "maxRun"> {
  /** For its tags. */
  readonly code?: Tagged["code"];
}

export interface PlannedTraining
  extends PlannedJob, Pick<TrainingRequest, "instanceGroup" | "maxWait"> {
  readonly checkpoints: S3Address | undefined;
  /** Where results go: a directory. */
  readonly output: S3Address;
  /** Of a directory the address ends with `/`. */
  readonly channels: readonly (RemoteChannel & { readonly isSharded: boolean })[];
  /** The user's; a launcher's come beside them. */
  readonly hyperparameters: Readonly<Record<string, string>>;
  readonly metrics: readonly MetricDefinition[];
  readonly launch: Launch;
}

export interface PlannedInput extends PlacedData<S3Address> {
  /** Whether each instance gets a part of the objects. */
  readonly isSharded: boolean;
}

export interface PlannedProcessing extends PlannedJob {
  /** Of a directory the address ends with `/`. */
  readonly inputs: readonly PlannedInput[];
  readonly outputs: readonly PlacedData<S3Address>[];
  readonly launch: ProcessingLaunch;
}

/** The input of CreateTrainingJob, without empty optional parts. */
export function trainingPlan(planned: PlannedTraining): TrainingJobInput {
  const { kmsKey, maxWait, checkpoints, channels, hyperparameters, metrics, launch } = planned;
  const key = kmsKey === undefined ? {} : { KmsKeyId: kmsKey.value };
  return {
    TrainingJobName: planned.name,
    ...emptyLeftOut("HyperParameters", { ...hyperparameters, ...launch.hyperparameters }),
    AlgorithmSpecification: {
      TrainingImage: planned.image,
      TrainingInputMode: "File",
      ...metrics.length === 0 ? {} : {
        MetricDefinitions: metrics.map(({ name, regex }) => ({ Name: name, Regex: regex })),
      },
      ...launch.entrypoint === undefined ? {} : { ContainerEntrypoint: [...launch.entrypoint] },
      ...launch.arguments === undefined || launch.arguments.length === 0
        ? {}
        : { ContainerArguments: [...launch.arguments] },
    },
    RoleArn: planned.role,
    InputDataConfig: channels.map(({ name, address, isSharded }) => ({
      ChannelName: name,
      DataSource: {
        S3DataSource: {
          S3DataType: "S3Prefix",
          S3Uri: s3Uri(address),
          S3DataDistributionType: distributionOf(isSharded),
        },
      },
    })),
    OutputDataConfig: { S3OutputPath: directoryUri(planned.output), ...key },
    ResourceConfig: planned.instanceGroup.length === 0 ? instances(planned) : groups(planned),
    ...planned.subnet.length === 0 ? {} : { VpcConfig: network(planned) },
    StoppingCondition: {
      MaxRuntimeInSeconds: planned.maxRun,
      ...maxWait === undefined ? {} : { MaxWaitTimeInSeconds: maxWait },
    },
    Tags: tagsOf(planned),
    ...planned.networkIsolation.value ? { EnableNetworkIsolation: true } : {},
    ...maxWait === undefined ? {} : { EnableManagedSpotTraining: true },
    ...checkpoints === undefined
      ? {}
      : { CheckpointConfig: { S3Uri: directoryUri(checkpoints), LocalPath: PATHS.checkpoints } },
    ...emptyLeftOut("Environment", planned.variables),
  };
}

/** The input of CreateProcessingJob. */
export function processingPlan(planned: PlannedProcessing): ProcessingJobInput {
  const { kmsKey, inputs, outputs, launch, subnet } = planned;
  const isIsolated = planned.networkIsolation.value;
  return {
    ProcessingJobName: planned.name,
    ...inputs.length === 0 ? {} : {
      ProcessingInputs: inputs.map(({ name, path, place, isSharded }) => ({
        InputName: name,
        S3Input: {
          S3Uri: s3Uri(place),
          LocalPath: path,
          S3DataType: "S3Prefix",
          S3InputMode: "File",
          S3DataDistributionType: distributionOf(isSharded),
        },
      })),
    },
    ProcessingOutputConfig: {
      Outputs: outputs.map(({ name, path, place }) => ({
        OutputName: name,
        S3Output: {
          S3Uri: directoryUri(place),
          LocalPath: path,
          S3UploadMode: "EndOfJob",
        },
      })),
      ...kmsKey === undefined ? {} : { KmsKeyId: kmsKey.value },
    },
    ProcessingResources: { ClusterConfig: instances(planned) },
    StoppingCondition: { MaxRuntimeInSeconds: planned.maxRun },
    AppSpecification: {
      ImageUri: planned.image,
      ...launch.entrypoint === undefined ? {} : { ContainerEntrypoint: [...launch.entrypoint] },
      ...launch.arguments.length === 0 ? {} : { ContainerArguments: [...launch.arguments] },
    },
    ...emptyLeftOut("Environment", planned.variables),
    ...isIsolated || subnet.length > 0
      ? {
        NetworkConfig: {
          ...isIsolated ? { EnableNetworkIsolation: true } : {},
          ...subnet.length > 0 ? { VpcConfig: network(planned) } : {},
        },
      }
      : {},
    RoleArn: planned.role,
    Tags: tagsOf(planned),
  };
}

/** A key is sent where one of the types takes it: no disk is left without it in silence. */
function groups({ instanceGroup, volumeSize, kmsKey }: PlannedTraining) {
  const { type } = instanceGroup.find(({ type }) => !hasOwnDisk(type)) ?? instanceGroup[0]!;
  return {
    InstanceGroups: instanceGroup.map(({ name, type, count }) => ({
      InstanceGroupName: name,
      InstanceType: type as "ml.m5.large",
      InstanceCount: count,
    })),
    VolumeSizeInGB: volumeSize,
    ...volumeKey({ kmsKey, instanceType: type }),
  };
}

function instances(planned: PlannedJob) {
  const { instanceType, instanceCount, volumeSize } = planned;
  return {
    // Their names are an enumeration in the SDK, older than the newest of them.
    InstanceType: instanceType as "ml.m5.large",
    InstanceCount: instanceCount,
    VolumeSizeInGB: volumeSize,
    ...volumeKey(planned),
  };
}

export function volumeKey(
  { kmsKey, instanceType }: Pick<Planned, "kmsKey" | "instanceType">,
): { readonly VolumeKmsKeyId?: string } {
  return kmsKey === undefined || hasOwnDisk(instanceType) ? {} : { VolumeKmsKeyId: kmsKey.value };
}

export function network(
  { subnet, securityGroup }: Pick<CloudRequest, "subnet" | "securityGroup">,
): { Subnets: string[]; SecurityGroupIds: string[] } {
  return { Subnets: subnet.map(({ value }) => value), SecurityGroupIds: [...securityGroup] };
}

/** Where results go: SageMaker puts the `/` between it and what it appends. */
function directoryUri({ bucket, key }: S3Address): string {
  return s3Uri({ bucket, key: key.replace(/\/+$/, "") });
}

export function emptyLeftOut<Name extends string>(
  name: Name,
  values: Readonly<Record<string, string>>,
): { readonly [K in Name]?: Record<string, string> } {
  if (Object.keys(values).length === 0) return {};
  return { [name]: { ...values } } as { readonly [K in Name]?: Record<string, string> };
}

/** The same without the values of variables, which may be secrets. */
export function withHiddenValues(input: object): object {
  const { Environment, ...rest } = input as { Environment?: object };
  if (Environment === undefined) return rest;
  const hidden = Object.fromEntries(Object.keys(Environment).map((name) => [name, "***"]));
  return { ...rest, Environment: hidden };
}

/** A call as `--dry-run` shows it. */
export function shownCall(
  action: string,
  input: JobInput | ModelInput,
): { readonly action: string; readonly input: unknown } {
  return { action, input: withHiddenValues(input) };
}

/** Shorter values may be words of the message itself. */
const SHORTEST = 6;

/**
 * The same error without the values of variables, which may be secrets: the service quotes what it
 * refuses.
 */
export function withoutValues(error: unknown, variables: Variables): unknown {
  if (!(error instanceof AwsError)) return error;
  // Longest first: a value may contain another one.
  const values = Object.values(variables).filter(({ length }) => length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
  const hidden = (text: string): string =>
    values.reduce((left, value) => left.replaceAll(value, "***"), text);
  const message = hidden(error.message);
  const quote = error.quote && hidden(error.quote);
  if (message === error.message && quote === error.quote) return error;
  // Without the cause, whose message has the values.
  return new AwsError(error.refusal, message, { hint: error.hint, quote });
}
