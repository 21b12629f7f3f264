/**
 * What SageMaker's service model asks of the input of its operations on jobs: botocore 1.44.5,
 * `data/sagemaker/2017-07-24/service-2.json`, for the members in use.
 */

import { listing, modelName } from "../endpoints/rules.ts";
import { INSTANCE_TYPES } from "../instance_types.ts";
import {
  flag,
  integer,
  kmsKey,
  list,
  map,
  oneOf,
  required,
  roleArn,
  s3Uri,
  type Shape,
  type Structure,
  structure,
  tags,
  text,
  vpc,
} from "../validation.ts";

const jobName = required(
  text({ min: 1, max: 63, pattern: /[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}/ }),
);
const words = list(text({ max: 256, pattern: /.*/ }), 1, 100);
const distribution = oneOf("FullyReplicated", "ShardedByS3Key");
const variableName = /[a-zA-Z_][a-zA-Z0-9_]*/;
/** `Environment`: names and values of so many characters. */
function environment(max: number): Shape {
  return map(text({ max, pattern: variableName }), text({ max, pattern: /[\S\s]*/ }), 100);
}

const channel = structure({
  ChannelName: required(text({ min: 1, max: 64, pattern: /[A-Za-z0-9.\-_]+/ })),
  DataSource: required(structure({
    S3DataSource: structure({
      S3DataType: required(oneOf("S3Prefix", "ManifestFile", "AugmentedManifestFile")),
      S3Uri: required(s3Uri),
      S3DataDistributionType: distribution,
    }),
  })),
  ContentType: text({ max: 256, pattern: /.*/ }),
  CompressionType: oneOf("None", "Gzip"),
  RecordWrapperType: oneOf("None", "RecordIO"),
  InputMode: oneOf("Pipe", "File", "FastFile"),
});

const createTraining = structure({
  TrainingJobName: jobName,
  HyperParameters: map(
    text({ max: 256, pattern: /.*/ }),
    text({ max: 2_500, pattern: /.*/ }),
    100,
  ),
  AlgorithmSpecification: required(structure({
    TrainingImage: required(text({ max: 255, pattern: /.*/ })),
    TrainingInputMode: required(oneOf("Pipe", "File", "FastFile")),
    MetricDefinitions: list(
      structure({
        Name: required(text({ min: 1, max: 255, pattern: /.+/ })),
        Regex: required(text({ min: 1, max: 500, pattern: /.+/ })),
      }),
      0,
      40,
    ),
    ContainerEntrypoint: words,
    ContainerArguments: words,
  })),
  RoleArn: roleArn,
  InputDataConfig: list(channel, 1, 20),
  OutputDataConfig: required(structure({
    KmsKeyId: kmsKey,
    S3OutputPath: required(s3Uri),
    CompressionType: oneOf("GZIP", "NONE"),
  })),
  // The model requires fewer members, because serverless trainings have none of these.
  ResourceConfig: required(structure({
    InstanceType: oneOf(...INSTANCE_TYPES.training),
    InstanceCount: integer(1),
    InstanceGroups: list(
      structure({
        InstanceGroupName: required(text({ min: 1, max: 64, pattern: /.+/ })),
        InstanceType: required(oneOf(...INSTANCE_TYPES.training)),
        InstanceCount: required(integer(1)), // The model has 0, of which the box has none.
      }),
      0,
      5,
    ),
    VolumeSizeInGB: required(integer(1)),
    VolumeKmsKeyId: kmsKey,
  })),
  VpcConfig: vpc,
  StoppingCondition: required(structure({
    MaxRuntimeInSeconds: integer(1),
    MaxWaitTimeInSeconds: integer(1),
  })),
  Tags: tags,
  EnableNetworkIsolation: flag,
  EnableManagedSpotTraining: flag,
  CheckpointConfig: structure({
    S3Uri: required(s3Uri),
    LocalPath: text({ max: 4_096, pattern: /.*/ }),
  }),
  Environment: environment(512),
});

const processingInput = structure({
  InputName: required(text()),
  AppManaged: flag,
  S3Input: structure({
    S3Uri: required(s3Uri),
    LocalPath: text({ max: 256, pattern: /.*/ }),
    S3DataType: required(oneOf("ManifestFile", "S3Prefix")),
    S3InputMode: oneOf("Pipe", "File"),
    S3DataDistributionType: distribution,
    S3CompressionType: oneOf("None", "Gzip"),
  }),
});

const processingOutput = structure({
  OutputName: required(text()),
  AppManaged: flag,
  S3Output: structure({
    S3Uri: required(s3Uri),
    LocalPath: text({ max: 256, pattern: /.*/ }),
    S3UploadMode: required(oneOf("Continuous", "EndOfJob")),
  }),
});

const createProcessing = structure({
  ProcessingJobName: jobName,
  ProcessingInputs: list(processingInput, 0, 10),
  ProcessingOutputConfig: structure({
    Outputs: required(list(processingOutput, 0, 10)),
    KmsKeyId: kmsKey,
  }),
  ProcessingResources: required(structure({
    ClusterConfig: required(structure({
      InstanceCount: required(integer(1, 100)),
      InstanceType: required(oneOf(...INSTANCE_TYPES.processing)),
      VolumeSizeInGB: required(integer(1, 16_384)),
      VolumeKmsKeyId: kmsKey,
    })),
  })),
  StoppingCondition: structure({ MaxRuntimeInSeconds: required(integer(1, 777_600)) }),
  AppSpecification: required(structure({
    ImageUri: required(text({ max: 255, pattern: /.*/ })),
    ContainerEntrypoint: words,
    ContainerArguments: words,
  })),
  Environment: environment(256),
  NetworkConfig: structure({
    EnableNetworkIsolation: flag,
    VpcConfig: vpc,
  }),
  RoleArn: roleArn,
  Tags: tags,
});

const createTransform = structure({
  TransformJobName: jobName,
  ModelName: required(modelName),
  MaxConcurrentTransforms: integer(0),
  MaxPayloadInMB: integer(0),
  BatchStrategy: oneOf("MultiRecord", "SingleRecord"),
  Environment: map(
    text({ max: 1_024, pattern: variableName }),
    text({ max: 10_240, pattern: /[\S\s]*/ }),
    16,
  ),
  ModelClientConfig: structure({
    InvocationsTimeoutInSeconds: integer(1, 3_600),
    InvocationsMaxRetries: integer(0, 3),
  }),
  TransformInput: required(structure({
    DataSource: required(structure({
      S3DataSource: required(structure({
        S3DataType: required(oneOf("S3Prefix", "ManifestFile")),
        S3Uri: required(s3Uri),
      })),
    })),
    ContentType: text({ max: 256, pattern: /.*/ }),
    CompressionType: oneOf("None", "Gzip"),
    SplitType: oneOf("None", "Line", "RecordIO", "TFRecord"),
  })),
  TransformOutput: required(structure({
    S3OutputPath: required(s3Uri),
    Accept: text({ max: 256, pattern: /.*/ }),
    AssembleWith: oneOf("None", "Line"),
    KmsKeyId: kmsKey,
  })),
  TransformResources: required(structure({
    InstanceType: required(oneOf(...INSTANCE_TYPES.transform)),
    InstanceCount: required(integer(1, 100)),
    VolumeKmsKeyId: kmsKey,
    TransformAmiVersion: text({ min: 1, max: 63, pattern: /[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*/ }),
  })),
  DataCaptureConfig: structure({
    DestinationS3Uri: required(s3Uri),
    KmsKeyId: kmsKey,
    GenerateInferenceId: flag,
  }),
  DataProcessing: structure({
    InputFilter: text({ max: 63 }),
    OutputFilter: text({ max: 63 }),
    JoinSource: oneOf("None", "Input"),
  }),
  Tags: tags,
});

const jobListing = {
  ...listing,
  StatusEquals: oneOf("InProgress", "Completed", "Failed", "Stopping", "Stopped"),
  SortBy: oneOf("CreationTime"),
  SortOrder: oneOf("Ascending", "Descending"),
};

/** The rule of each operation that the box has. */
export const JOB_RULES: Readonly<Record<string, Structure>> = {
  CreateTrainingJob: createTraining,
  DescribeTrainingJob: structure({ TrainingJobName: jobName }),
  StopTrainingJob: structure({ TrainingJobName: jobName }),
  ListTrainingJobs: structure(jobListing),
  CreateProcessingJob: createProcessing,
  DescribeProcessingJob: structure({ ProcessingJobName: jobName }),
  StopProcessingJob: structure({ ProcessingJobName: jobName }),
  ListProcessingJobs: structure(jobListing),
  CreateTransformJob: createTransform,
  DescribeTransformJob: structure({ TransformJobName: jobName }),
  StopTransformJob: structure({ TransformJobName: jobName }),
  ListTransformJobs: structure(jobListing),
};
