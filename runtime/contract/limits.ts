/**
 * What SageMaker refuses, cuts off or does not wait for, in numbers and patterns.
 *
 * Sources: SageMaker's API reference, in which each of these stands under the name given here, and
 * AWS's developer guide where it says so. Those of the API reference were compared with the model
 * that AWS makes its SDKs from, in botocore 1.44.5 (`data/sagemaker/2017-07-24/service-2.json`, and
 * `data/sagemaker-runtime/2017-05-13/`): `limits_test.ts` holds what stands there.
 *
 * A length counts characters, each of Unicode as one, also where UTF-16 takes two and UTF-8 four
 * bytes: that is what lengths mean in those models (Smithy 2.0, `length` trait: "the number of
 * Unicode scalar values"). Exceptions say that they count bytes.
 */

import type { Role } from "./jobs.ts";

/** How many characters a text has, as SageMaker's limits count them. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * CreateTrainingJob: `HyperParameters`, `HyperParameterKey`, `HyperParameterValue`. (Its words still
 * say "each key and value is limited to 256 characters"; the constraint on values is 2,500.)
 */
export const HYPERPARAMETERS = { most: 100, nameLength: 256, valueLength: 2_500 } as const;

/**
 * What the names and values of hyperparameters, and a processing job's arguments, cannot contain:
 * their pattern is `.*`, in which the dot stands for anything but the end of a line (for variables
 * it is `[\S\s]*`). A pattern has to match the whole text: a name with `_` was refused by
 * `^[a-zA-Z0-9](-*[a-zA-Z0-9])*` (https://github.com/Kenza-AI/sagify/issues/57).
 */
export const LINE_END = /[\n\r\u2028\u2029]/;

/** CreateTrainingJob: `InputDataConfig` takes 1 to 20 channels. */
export const MOST_CHANNELS = 20;

/** `ResourceConfig`: `InstanceGroups`. */
export const MOST_INSTANCE_GROUPS = 5;

/** `Channel`: `ChannelName`, its pattern and its length, 1 to 64. */
export const CHANNEL_NAME = /^[A-Za-z0-9.\-_]{1,64}$/;

/**
 * CreateTrainingJob: `TrainingJobName`; CreateProcessingJob: `ProcessingJobName`; CreateEndpoint:
 * `EndpointName`; CreateEndpointConfig: `EndpointConfigName`. Their length is 63 at most, which the
 * pattern alone does not say: each of its 63 parts may have any number of hyphens.
 */
export const NAME = /^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/;
export const NAME_LENGTH = 63;

/** Whether a job, an endpoint or an endpoint's configuration can have that name. */
export function isResourceName(name: string): boolean {
  return name.length <= NAME_LENGTH && NAME.test(name);
}

/** Limits of a job's or a server's environment variables. */
interface EnvironmentLimits {
  readonly most: number;
  readonly nameLength: number;
  readonly valueLength: number;
  /** In which lengths of names and values are counted. */
  readonly unit: "characters" | "bytes";
  /** All names and values together, in bytes. */
  readonly totalBytes?: number;
}

/** `TrainingEnvironmentKey`, `ProcessingEnvironmentKey` and `EnvironmentKey` are all of this form. */
export const VARIABLE_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * By what runs. CreateTrainingJob: `TrainingEnvironmentMap`, `-Key`, `-Value`; CreateProcessingJob:
 * `ProcessingEnvironmentMap`, ...; CreateTransformJob: `TransformEnvironmentMap`, ...; CreateModel:
 * `ContainerDefinition`, `EnvironmentMap`, ..., whose `Environment` says: "The maximum length of each key and value in the Environment map is 1024
 * bytes. The maximum length of all keys and values in the map, combined, is 32 KB."
 */
export const ENVIRONMENT: Readonly<Record<Role, EnvironmentLimits>> = {
  train: { most: 100, nameLength: 512, valueLength: 512, unit: "characters" },
  process: { most: 100, nameLength: 256, valueLength: 256, unit: "characters" },
  transform: { most: 16, nameLength: 1_024, valueLength: 10_240, unit: "characters" },
  serve: {
    most: 100,
    nameLength: 1_024,
    valueLength: 1_024,
    unit: "bytes",
    totalBytes: 32 * 1_024,
  },
};

/**
 * CreateProcessingJob, `AppSpecification`: `ContainerEntrypoint` and `ContainerEntrypointString`,
 * `ContainerArguments` and `ContainerArgument`, the same for both. None may be empty, which only the
 * service's refusal says: "ContainerArguments and ContainerEntrypoint may not contain null or empty
 * strings" (https://github.com/aws/sagemaker-python-sdk/issues/3758).
 */
export const PROCESSING_ARGUMENTS = { most: 100, length: 256 } as const;

/**
 * CreateProcessingJob: `ProcessingInputs`, `ProcessingOutputs`, each so many at most;
 * `ProcessingLocalPath`.
 */
export const PROCESSING_DATA = { most: 10, pathLength: 256 } as const;

/**
 * How many characters SageMaker keeps of the reason that the code gives. DescribeTrainingJob and
 * DescribeProcessingJob: `FailureReason`; DescribeProcessingJob: `ExitMessage`.
 */
export const REASON_LENGTH = 1_024;

/**
 * The body of a request to an endpoint, in bytes. Developer guide, "Model Hosting FAQs": "The payload
 * limits are 25 MB for real-time endpoints and 4 MB for serverless endpoints." (The API reference has
 * the 6,291,456 bytes of earlier years, `BodyBlob`, which no SDK enforces.)
 */
export const BODY_BYTES = 26_214_400;

/**
 * The largest body of a request or an answer that no documented limit refuses, in bytes. API
 * reference, `BodyBlob`: "Length Constraints: Maximum length of 6291456." Local servers have this
 * limit: what passes here passes on SageMaker, whichever of the two holds there.
 */
export const SURE_BODY_BYTES = 6_291_456;

/**
 * The same of a request to an asynchronous endpoint. Developer guide, "Asynchronous inference": "large
 * payload sizes (up to 1GB)".
 */
export const ASYNCHRONOUS_BODY_BYTES = 1_073_741_824;

/**
 * How long the answer to a request may take, in seconds. InvokeEndpoint: "A customer's model
 * containers must respond to requests within 60 seconds."
 */
export const INVOCATION_SECONDS = 60;

/**
 * The same for an answer that comes as a stream, to its end. Developer guide, "Model Hosting FAQs":
 * "60 seconds for regular responses and 8 minutes for streaming responses".
 */
export const STREAM_SECONDS = 480;

/**
 * How long one answer to `/ping` may take, and how long a server may take until it answers with 200,
 * in seconds. Developer guide, "How Your Container Should Respond to Health Check (Ping) Requests":
 * "during the 4 minutes after startup", and "The request timeout on /ping attempts is 2 seconds".
 * (CreateEndpointConfig: `ContainerStartupHealthCheckTimeoutInSeconds`, 60 to 3,600, lifts the 4
 * minutes.)
 */
export const PING_SECONDS = 2;
export const START_SECONDS = 240;

/**
 * Seconds between SIGTERM and SIGKILL. StopTrainingJob: "sends the algorithm the SIGTERM signal,
 * which delays job termination for 120 seconds". Of a server: developer guide, "How
 * SageMaker AI Runs Your Inference Image": "sends the SIGTERM signal, then it sends the SIGKILL
 * signal 30 seconds later". For processing jobs AWS names no time.
 */
export const STOP_SECONDS = { train: 120, serve: 30 } as const;

/**
 * How many instances a job or an endpoint may have, and how long a job may run, in seconds.
 * CreateTransformJob: `TransformInstanceCount`. CreateProcessingJob: `ProcessingInstanceCount`,
 * `ProcessingMaxRuntimeInSeconds` (9 days).
 * CreateTrainingJob and CreateEndpointConfig (`InitialTaskCount`) have no number for instances; of
 * `MaxRuntimeInSeconds` it says: "The default value is 1 day. The maximum value is 28 days."
 */
export const MOST_INSTANCES = {
  train: undefined,
  process: 100,
  transform: 100,
  serve: undefined,
} as const;
export const LONGEST_RUN = { train: 28 * 86_400, process: 9 * 86_400 } as const;

/**
 * The disk of an instance, in GB. CreateProcessingJob: `ProcessingVolumeSizeInGB`, 1 to 16,384;
 * CreateTrainingJob names no most.
 */
export const LARGEST_VOLUME = { train: undefined, process: 16_384 } as const;

/** Both: `TagList`, `TagKey`, `TagValue`. Keys that begin with `aws:` are AWS's own. */
export const TAGS = { most: 50, keyLength: 128, valueLength: 256 } as const;

/** Whether a key or a value of a tag may hold it. */
export function isTagText(text: string): boolean {
  return /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u.test(text);
}

/** Both, `VpcConfig`: `Subnets`, `VpcSecurityGroupIds`, `SubnetId`, `SecurityGroupId`. */
export const NETWORK = { subnets: 16, securityGroups: 5, idLength: 32 } as const;
export const NETWORK_ID = /^[-0-9a-zA-Z]+$/;

/** Both: `KmsKeyId`, the id, the ARN or the alias of a key. */
export const KMS_KEY = /^[a-zA-Z0-9:/_-]{1,2048}$/;

/** Both: `S3Uri`, the whole address. */
export const S3_URI_LENGTH = 1_024;

/**
 * How long a container of an endpoint may take until it answers `/ping`, in seconds.
 * CreateEndpointConfig: `ProductionVariantContainerStartupHealthCheckTimeoutInSeconds`.
 */
export const HEALTH_CHECK_SECONDS = { least: 60, most: 3_600 } as const;

/**
 * Serverless endpoints. CreateEndpointConfig, `ProductionVariantServerlessConfig`: `MaxConcurrency`
 * (`ServerlessMaxConcurrency`), and of `MemorySizeInMB`: "Valid values are in 1 GB increments: 1024
 * MB, 2048 MB, 3072 MB, 4096 MB, 5120 MB, or 6144 MB."
 */
export const SERVERLESS = { least: 1_024, most: 6_144, step: 1_024, mostAtOnce: 200 } as const;

/** CreateEndpointConfig, `DataCaptureConfig`: `DestinationS3Uri`. */
export const CAPTURE_URI_LENGTH = 512;

/**
 * UpdateEndpoint, `DeploymentConfig`: `AutoRollbackConfig`, `AlarmList`, `AlarmName`; and of
 * `CanarySize` in `TrafficRoutingConfig`: "must be less than or equal to 50% of the variant's total
 * instance count".
 */
export const ALARMS = { most: 10, nameLength: 255 } as const;
export const LARGEST_CANARY = 50;

/**
 * CreateTransformJob. `MaxPayloadInMB`: "The value of MaxPayloadInMB cannot be greater than 100 MB. If you
 * specify the MaxConcurrentTransforms parameter, the value of (MaxConcurrentTransforms *
 * MaxPayloadInMB) also cannot exceed 100 MB." `JsonPath` (both filters), `ContentType`, `Accept`;
 * `ModelClientConfig`: `InvocationsTimeoutInSeconds`, `InvocationsMaxRetries`.
 */
export const TRANSFORM = {
  payload: 100,
  filterLength: 63,
  invocationSeconds: 3_600,
  retries: 3,
} as const;
