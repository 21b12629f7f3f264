import {
  CreateProcessingJobCommand,
  type CreateProcessingJobCommandInput,
  CreateTrainingJobCommand,
  type CreateTrainingJobCommandInput,
  DescribeProcessingJobCommand,
  type DescribeProcessingJobCommandOutput,
  DescribeTrainingJobCommand,
  type DescribeTrainingJobCommandOutput,
  ListProcessingJobsCommand,
  ListTrainingJobsCommand,
  type ProcessingJobStatus,
  StopProcessingJobCommand,
  StopTrainingJobCommand,
  type TrainingJobStatus,
} from "@aws-sdk/client-sagemaker";
import { withoutMetadata } from "./explanations.ts";
import type { Service } from "./session.ts";

/** The bodies of CreateTrainingJob and CreateProcessingJob. */
export type {
  CreateProcessingJobCommandInput as ProcessingJobInput,
  CreateTrainingJobCommandInput as TrainingJobInput,
} from "@aws-sdk/client-sagemaker";

export type TrainingJobDetails = Omit<DescribeTrainingJobCommandOutput, "$metadata">;
export type ProcessingJobDetails = Omit<DescribeProcessingJobCommandOutput, "$metadata">;

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
  /** `AwsError`, "not found", where there is none of that name. */
  describeTrainingJob(name: string): Promise<TrainingJobDetails>;
  describeProcessingJob(name: string): Promise<ProcessingJobDetails>;
  /** Pages of jobs, newest first; the next is asked for when needed. */
  listTrainingJobs(filter: ListFilter, pageSize?: number): AsyncGenerator<readonly JobSummary[]>;
  listProcessingJobs(filter: ListFilter, pageSize?: number): AsyncGenerator<readonly JobSummary[]>;
  /** Returns when the service has begun; the job ends minutes later. */
  stopTrainingJob(name: string): Promise<void>;
  stopProcessingJob(name: string): Promise<void>;
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
    async describeTrainingJob(name) {
      const command = new DescribeTrainingJobCommand({ TrainingJobName: name });
      return withoutMetadata(await ask(command, training(name), ["TrainingJobStatus"]));
    },
    async describeProcessingJob(name) {
      const command = new DescribeProcessingJobCommand({ ProcessingJobName: name });
      return withoutMetadata(await ask(command, processing(name), ["ProcessingJobStatus"]));
    },
    listTrainingJobs: (filter, size = PAGE_SIZE) =>
      pages(
        "training jobs",
        (token?: string) => new ListTrainingJobsCommand(listInput(filter, size, token)),
        "TrainingJobSummaries",
        ({ TrainingJobName: name = "", TrainingJobStatus: status = "", ...job }) => ({
          ...{ name, status, creationTime: job.CreationTime ?? new Date(0) },
          ...{ endTime: job.TrainingEndTime, failureReason: undefined },
        }),
      ),
    listProcessingJobs: (filter, size = PAGE_SIZE) =>
      pages(
        "processing jobs",
        (token?: string) => new ListProcessingJobsCommand(listInput(filter, size, token)),
        "ProcessingJobSummaries",
        ({ ProcessingJobName: name = "", ProcessingJobStatus: status = "", ...job }) => ({
          ...{ name, status, creationTime: job.CreationTime ?? new Date(0) },
          ...{ endTime: job.ProcessingEndTime, failureReason: job.FailureReason || undefined },
        }),
      ),
    async stopTrainingJob(name) {
      await ask(new StopTrainingJobCommand({ TrainingJobName: name }), training(name));
    },
    async stopProcessingJob(name) {
      await ask(new StopProcessingJobCommand({ ProcessingJobName: name }), processing(name));
    },
  };
}

const training = (name: string | undefined): string => `training job ${name}`;
const processing = (name: string | undefined): string => `processing job ${name}`;
