/**
 * What SageMaker's service model asks of the input of its operations on models, endpoint
 * configurations and endpoints: botocore 1.44.5, `data/sagemaker/2017-07-24/service-2.json`, for the
 * members in use, and those that somebody else's configuration may have.
 */

import { HOSTING_INSTANCE_TYPES } from "../instance_types.ts";
import {
  flag,
  integer,
  kmsKey,
  list,
  map,
  oneOf,
  pageToken,
  required,
  roleArn,
  s3Uri,
  type Structure,
  structure,
  tags,
  text,
  vpc,
} from "../validation.ts";

const NAME = text({ min: 0, max: 63, pattern: /[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}/ });
const name = required(NAME);
/** A model's name. */
export const modelName = text({
  min: 0,
  max: 63,
  pattern: /[a-zA-Z0-9]([\-a-zA-Z0-9]*[a-zA-Z0-9])?/,
});
/** botocore's pattern has one character for the bucket's name; the service does not mind more. */
const destination = text({ max: 512, pattern: /(https|s3):\/\/([^/]+)\/?(.*)/ });

// The model requires neither a container nor a role, because of pipelines, and of models that have
// their role from the configuration; the box has neither.
const createModel = structure({
  ModelName: required(modelName),
  PrimaryContainer: required(structure({
    ContainerHostname: NAME,
    Image: required(text({ max: 255, pattern: /[\S]+/ })),
    Mode: oneOf("SingleModel", "MultiModel"),
    ModelDataUrl: s3Uri,
    ModelDataSource: structure({
      S3DataSource: structure({
        S3Uri: required(s3Uri),
        S3DataType: required(oneOf("S3Prefix", "S3Object")),
        CompressionType: required(oneOf("None", "Gzip")),
      }),
    }),
    Environment: map(
      text({ max: 1_024, pattern: /[a-zA-Z_][a-zA-Z0-9_]*/ }),
      text({ max: 1_024, pattern: /[\S\s]*/ }),
      100,
    ),
  })),
  ExecutionRoleArn: roleArn,
  Tags: tags,
  VpcConfig: vpc,
  EnableNetworkIsolation: flag,
});

const variant = structure({
  VariantName: name,
  ModelName: required(modelName),
  InitialInstanceCount: integer(1),
  InstanceType: oneOf(...HOSTING_INSTANCE_TYPES),
  InitialVariantWeight: { type: "number", min: 0 },
  ServerlessConfig: structure({
    MemorySizeInMB: required(integer(1_024, 6_144)),
    MaxConcurrency: required(integer(1, 200)),
    ProvisionedConcurrency: integer(1, 200),
  }),
  VolumeSizeInGB: integer(1, 512),
  ModelDataDownloadTimeoutInSeconds: integer(60, 3_600),
  ContainerStartupHealthCheckTimeoutInSeconds: integer(60, 3_600),
  EnableSSMAccess: flag,
  RoutingConfig: structure({
    RoutingStrategy: required(oneOf("LEAST_OUTSTANDING_REQUESTS", "RANDOM")),
  }),
  InferenceAmiVersion: text(),
});

const contentTypes = list(
  text({
    min: 1,
    max: 256,
    pattern: /[a-zA-Z0-9](-*[a-zA-Z0-9])*\/[a-zA-Z0-9](-*[a-zA-Z0-9.])*/,
  }),
  1,
  10,
);

const createConfiguration = structure({
  EndpointConfigName: name,
  ProductionVariants: required(list(variant, 1, 10)),
  DataCaptureConfig: structure({
    EnableCapture: flag,
    InitialSamplingPercentage: required(integer(0, 100)),
    DestinationS3Uri: required(destination),
    KmsKeyId: kmsKey,
    CaptureOptions: required(list(
      structure({ CaptureMode: required(oneOf("Input", "Output", "InputAndOutput")) }),
      1,
      32,
    )),
    CaptureContentTypeHeader: structure({
      CsvContentTypes: contentTypes,
      JsonContentTypes: contentTypes,
    }),
  }),
  Tags: tags,
  KmsKeyId: kmsKey,
  AsyncInferenceConfig: structure({
    ClientConfig: structure({ MaxConcurrentInvocationsPerInstance: integer(1, 1_000) }),
    OutputConfig: required(structure({
      KmsKeyId: kmsKey,
      S3OutputPath: destination,
      S3FailurePath: destination,
    })),
  }),
});

/** How an update goes on: of the ways that there are, the one that mlcli asks for. */
const deployment = structure({
  BlueGreenUpdatePolicy: structure({
    TrafficRoutingConfiguration: required(structure({
      Type: required(oneOf("CANARY")),
      WaitIntervalInSeconds: required(integer(0, 3_600)),
      CanarySize: required(structure({
        Type: required(oneOf("CAPACITY_PERCENT")),
        Value: required(integer(1)),
      })),
    })),
    TerminationWaitInSeconds: integer(0, 3_600),
    MaximumExecutionTimeoutInSeconds: integer(600, 28_800),
  }),
  AutoRollbackConfiguration: structure({
    Alarms: list(
      structure({ AlarmName: text({ min: 1, max: 255, pattern: /(?!\s*$).+/ }) }),
      1,
      10,
    ),
  }),
});

/** What all lists take. */
export const listing = {
  NextToken: pageToken,
  MaxResults: integer(1, 100),
  NameContains: text({ max: 63, pattern: /[a-zA-Z0-9-]+/ }),
};

/** The rule of each operation that the box has. */
export const ENDPOINT_RULES: Readonly<Record<string, Structure>> = {
  CreateModel: createModel,
  DescribeModel: structure({ ModelName: required(modelName) }),
  DeleteModel: structure({ ModelName: required(modelName) }),
  ListModels: structure(listing),
  CreateEndpointConfig: createConfiguration,
  DescribeEndpointConfig: structure({ EndpointConfigName: name }),
  DeleteEndpointConfig: structure({ EndpointConfigName: name }),
  CreateEndpoint: structure({
    EndpointName: name,
    EndpointConfigName: name,
    DeploymentConfig: deployment,
    Tags: tags,
  }),
  DescribeEndpoint: structure({ EndpointName: name }),
  UpdateEndpoint: structure({
    EndpointName: name,
    EndpointConfigName: name,
    RetainAllVariantProperties: flag,
    ExcludeRetainedVariantProperties: list(
      structure({
        VariantPropertyType: required(
          oneOf("DesiredInstanceCount", "DesiredWeight", "DataCaptureConfig"),
        ),
      }),
      0,
      3,
    ),
    DeploymentConfig: deployment,
  }),
  DeleteEndpoint: structure({ EndpointName: name }),
  ListEndpoints: structure({
    ...listing,
    StatusEquals: oneOf(
      "OutOfService",
      "Creating",
      "Updating",
      "SystemUpdating",
      "RollingBack",
      "InService",
      "Deleting",
      "Failed",
      "UpdateRollbackFailed",
    ),
  }),
};
