import type { Box } from "./box/box.ts";
import type { LogEvent } from "./box/logs.ts";
import type { Job, JobKind } from "./box/jobs/job.ts";
import type { JobStep } from "./box/jobs/job_store.ts";

/** What a training of these tests asks for. */
export const TRAINING = {
  AlgorithmSpecification: {
    TrainingImage: "123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:0123",
    TrainingInputMode: "File",
  },
  HyperParameters: { epochs: "20" },
  Environment: { API_KEY: "a-value-that-nobody-may-see" },
  RoleArn: "arn:aws:iam::123456789012:role/jobs",
  InputDataConfig: [{
    ChannelName: "training",
    DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: "s3://data/train/" } },
  }],
  OutputDataConfig: { S3OutputPath: "s3://data/output" },
  ResourceConfig: { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 },
  StoppingCondition: { MaxRuntimeInSeconds: 3_600 },
};

/** The same of a processing. */
export const PROCESSING = {
  AppSpecification: {
    ImageUri: "123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:0123",
    ContainerArguments: ["process", "clean.py"],
  },
  RoleArn: "arn:aws:iam::123456789012:role/jobs",
  ProcessingInputs: [{ InputName: "input", S3Input: { S3Uri: "s3://data/raw/" } }],
  ProcessingOutputConfig: {
    Outputs: [{ OutputName: "output", S3Output: { S3Uri: "s3://data/clean/" } }],
  },
  ProcessingResources: {
    ClusterConfig: { InstanceType: "ml.m5.large", InstanceCount: 1, VolumeSizeInGB: 30 },
  },
};

/** The same of a batch transform. */
export const TRANSFORM = {
  ModelName: "churn-model",
  Environment: { API_KEY: "a-value-that-nobody-may-see" },
  TransformInput: {
    DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: "s3://data/batch/" } },
    ContentType: "text/csv",
    SplitType: "Line",
  },
  TransformOutput: {
    S3OutputPath: "s3://data/scored/",
    Accept: "text/csv",
    AssembleWith: "Line",
  },
  TransformResources: { InstanceType: "ml.m5.large", InstanceCount: 1 },
};

/** What differs from `TRAINING` and its like. */
export interface JobOptions {
  readonly kind?: JobKind;
  readonly hosts?: number;
  readonly spot?: boolean;
  readonly onStop?: readonly JobStep[];
}

/** Adds a job that goes on like this, a step with each time that it is described. */
export function addJob(
  box: Box,
  name: string,
  steps: readonly JobStep[],
  { kind = "training", hosts = 1, spot = false, onStop }: JobOptions = {},
): Job {
  if (!box.s3.buckets.has("data")) box.s3.createBucket("data");
  box.jobs.script(name, steps, onStop);
  const { ResourceConfig, ...training } = TRAINING;
  const { TransformResources } = TRANSFORM;
  const requests = {
    training: {
      ...training,
      ResourceConfig: { ...ResourceConfig, InstanceCount: hosts },
      EnableManagedSpotTraining: spot,
    },
    processing: PROCESSING,
    transform: {
      ...TRANSFORM,
      TransformResources: { ...TransformResources, InstanceCount: hosts },
    },
  };
  return box.jobs.add(kind, name, requests[kind]);
}

/** Lines of a log, `PREFIX 1` to `PREFIX COUNT`, a second apart from `start` on. */
export function lines(prefix: string, count: number, start = 1_000_000): readonly LogEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: start + index * 1_000,
    message: `${prefix} ${index + 1}`,
  }));
}

/** The steps of a job whose end is now. */
export const COMPLETED: readonly JobStep[] = [{ end: { status: "Completed" } }];
