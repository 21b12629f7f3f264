import {
  CreateProcessingJobCommand,
  type CreateProcessingJobCommandInput,
  CreateTrainingJobCommand,
  type CreateTrainingJobCommandInput,
  CreateTransformJobCommand,
  type CreateTransformJobCommandInput,
  DescribeProcessingJobCommand,
  type DescribeProcessingJobCommandOutput,
  DescribeTrainingJobCommand,
  type DescribeTrainingJobCommandOutput,
  DescribeTransformJobCommand,
  type DescribeTransformJobCommandOutput,
  ListProcessingJobsCommand,
  ListTrainingJobsCommand,
  ListTransformJobsCommand,
  type ProcessingJobStatus,
  StopProcessingJobCommand,
  StopTrainingJobCommand,
  StopTransformJobCommand,
  type TrainingJobStatus,
} from "@aws-sdk/client-sagemaker";
import type { JobKind } from "../contract/jobs.ts";
import { withoutMetadata } from "./explanations.ts";
import type { Service } from "./session.ts";

/** The bodies of CreateTrainingJob, CreateProcessingJob and CreateTransformJob. */
export type {
  CreateProcessingJobCommandInput as ProcessingJobInput,
  CreateTrainingJobCommandInput as TrainingJobInput,
  CreateTransformJobCommandInput as TransformJobInput,
} from "@aws-sdk/client-sagemaker";

export type TrainingJobDetails = Omit<DescribeTrainingJobCommandOutput, "$metadata">;
export type ProcessingJobDetails = Omit<DescribeProcessingJobCommandOutput, "$metadata">;
export type TransformJobDetails = Omit<DescribeTransformJobCommandOutput, "$metadata">;

export interface JobSummary {
  readonly name: string;
  /** Whatever the service sends: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`. */
  readonly status: string;
  readonly creationTime: Date;
  readonly endTime: Date | undefined;
  /** Lists of trainings have none. */
  readonly failureReason: string | undefined;
}

/** What a list is narrowed to. */
export interface ListFilter {
  readonly status?: string;
  readonly nameContains?: string;
}

/** What mlcli asks about jobs. Each throws an `AwsError`, or `Interrupted`. */
export interface Jobs {
  /** Gives its ARN; `undefined` when the answer to a first attempt was lost, and the job is there. */
  createTrainingJob(input: CreateTrainingJobCommandInput): Promise<string | undefined>;
  createProcessingJob(input: CreateProcessingJobCommandInput): Promise<string | undefined>;
  createTransformJob(input: CreateTransformJobCommandInput): Promise<string | undefined>;
  /** `AwsError`, "not found", where there is none of that name. */
  describeTrainingJob(name: string): Promise<TrainingJobDetails>;
  describeProcessingJob(name: string): Promise<ProcessingJobDetails>;
  describeTransformJob(name: string): Promise<TransformJobDetails>;
  /** Pages of jobs of a kind, newest first; the next is asked for when needed. */
  listJobs(
    kind: JobKind,
    filter: ListFilter,
    pageSize?: number,
  ): AsyncGenerator<readonly JobSummary[]>;
  /** Returns when the service has begun; the job ends minutes later. */
  stopJob(kind: JobKind, name: string): Promise<unknown>;
}

/** The most that a list gives at once: `MaxResults`. */
const PAGE_SIZE = 100;

export function jobsOf({ ask, change, pages }: Service): Jobs {
  const listInput = (filter: ListFilter, size: number, NextToken: string | undefined) => ({
    MaxResults: Math.min(size, PAGE_SIZE),
    NextToken,
    NameContains: filter.nameContains,
    StatusEquals: filter.status as (TrainingJobStatus & ProcessingJobStatus) | undefined,
    SortBy: "CreationTime",
    SortOrder: "Descending",
  } as const);
  const lists: { readonly [Kind in JobKind]: (...asked: [ListFilter, number]) => JobPages } = {
    train: (...asked) =>
      pages(
        "training jobs",
        (token?: string) => new ListTrainingJobsCommand(listInput(...asked, token)),
        "TrainingJobSummaries",
        ({ TrainingJobName: name, TrainingJobStatus: status, ...job }) =>
          summary(name, status, job.TrainingEndTime, job),
      ),
    process: (...asked) =>
      pages(
        "processing jobs",
        (token?: string) => new ListProcessingJobsCommand(listInput(...asked, token)),
        "ProcessingJobSummaries",
        ({ ProcessingJobName: name, ProcessingJobStatus: status, ...job }) =>
          summary(name, status, job.ProcessingEndTime, job),
      ),
    transform: (...asked) =>
      pages(
        "transform jobs",
        (token?: string) => new ListTransformJobsCommand(listInput(...asked, token)),
        "TransformJobSummaries",
        ({ TransformJobName: name, TransformJobStatus: status, ...job }) =>
          summary(name, status, job.TransformEndTime, job),
      ),
  };
  const stops: { readonly [Kind in JobKind]: (name: string) => Promise<unknown> } = {
    train: (name) => ask(new StopTrainingJobCommand({ TrainingJobName: name }), training(name)),
    process: (name) =>
      ask(new StopProcessingJobCommand({ ProcessingJobName: name }), processing(name)),
    transform: (name) =>
      ask(new StopTransformJobCommand({ TransformJobName: name }), transform(name)),
  };
  return {
    async createTrainingJob(input) {
      const command = new CreateTrainingJobCommand(input);
      return (await change(command, training(input.TrainingJobName), "in use"))?.TrainingJobArn;
    },
    async createProcessingJob(input) {
      const command = new CreateProcessingJobCommand(input);
      const answer = await change(command, processing(input.ProcessingJobName), "in use");
      return answer?.ProcessingJobArn;
    },
    async createTransformJob(input) {
      const command = new CreateTransformJobCommand(input);
      return (await change(command, transform(input.TransformJobName), "in use"))?.TransformJobArn;
    },
    async describeTrainingJob(name) {
      const command = new DescribeTrainingJobCommand({ TrainingJobName: name });
      return withoutMetadata(await ask(command, training(name), ["TrainingJobStatus"]));
    },
    async describeProcessingJob(name) {
      const command = new DescribeProcessingJobCommand({ ProcessingJobName: name });
      return withoutMetadata(await ask(command, processing(name), ["ProcessingJobStatus"]));
    },
    async describeTransformJob(name) {
      const command = new DescribeTransformJobCommand({ TransformJobName: name });
      return withoutMetadata(await ask(command, transform(name), ["TransformJobStatus"]));
    },
    listJobs: (kind, filter, size = PAGE_SIZE) => lists[kind](filter, size),
    stopJob: (kind, name) => stops[kind](name),
  };
}

type JobPages = AsyncGenerator<readonly JobSummary[]>;

function summary(
  name: string | undefined,
  status: string | undefined,
  endTime: Date | undefined,
  { CreationTime, FailureReason }: {
    readonly CreationTime?: Date | undefined;
    readonly FailureReason?: string | undefined;
  },
): JobSummary {
  return {
    ...{ name: name ?? "", status: status ?? "", endTime },
    creationTime: CreationTime ?? new Date(0),
    failureReason: FailureReason || undefined,
  };
}

const training = (name: string | undefined): string => `training job ${name}`;
const processing = (name: string | undefined): string => `processing job ${name}`;
const transform = (name: string | undefined): string => `transform job ${name}`;
