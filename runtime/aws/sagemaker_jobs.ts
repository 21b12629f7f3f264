/**
 * SageMaker's training and processing jobs.
 *
 * @module
 */

import { strangeAnswer } from "./explanations.ts";
import { pagesOf } from "./pages.ts";
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
  type SageMakerClient,
  StopProcessingJobCommand,
  StopTrainingJobCommand,
  type TrainingJobStatus,
} from "./sdk/sagemaker.ts";
import type { Asking } from "./session.ts";

/** The bodies of CreateTrainingJob and CreateProcessingJob. */
export type {
  CreateProcessingJobCommandInput as ProcessingJobInput,
  CreateTrainingJobCommandInput as TrainingJobInput,
} from "./sdk/sagemaker.ts";

/** What SageMaker says of a job. */
export type TrainingJobDetails = Omit<DescribeTrainingJobCommandOutput, "$metadata">;
export type ProcessingJobDetails = Omit<DescribeProcessingJobCommandOutput, "$metadata">;

/** A job as the list shows it. */
export interface JobSummary {
  readonly name: string;
  /** Whatever the service sends: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`. */
  readonly status: string;
  readonly creationTime: Date;
}

/** Which jobs to list; all of them when empty. */
export interface JobFilter {
  readonly status?: string;
  readonly nameContains?: string;
}

/** What mlcli asks about jobs. Each throws an `AwsError`, or `Interrupted`. */
export interface Jobs {
  /** Returns also when the answer to a first attempt was lost, and the job is there. */
  createTrainingJob(input: CreateTrainingJobCommandInput): Promise<void>;
  createProcessingJob(input: CreateProcessingJobCommandInput): Promise<void>;
  /** `AwsError`, "not found", where there is none of that name. */
  describeTrainingJob(name: string): Promise<TrainingJobDetails>;
  describeProcessingJob(name: string): Promise<ProcessingJobDetails>;
  /** Pages of jobs, newest first; the next is asked for when needed. */
  listTrainingJobs(filter: JobFilter, pageSize?: number): AsyncGenerator<readonly JobSummary[]>;
  listProcessingJobs(filter: JobFilter, pageSize?: number): AsyncGenerator<readonly JobSummary[]>;
  /** Returns when the service has begun; the job ends minutes later. */
  stopTrainingJob(name: string): Promise<void>;
  stopProcessingJob(name: string): Promise<void>;
}

/** The most that a list gives at once: `MaxResults`. */
const PAGE_SIZE = 100;

/** Jobs, by a client of SageMaker. */
export function jobsOf({ client, session, region }: Asking<SageMakerClient>): Jobs {
  const options = session.requestOptions;
  const listInput = (filter: JobFilter, size: number, token: string | undefined) => ({
    MaxResults: Math.min(size, PAGE_SIZE),
    NextToken: token,
    NameContains: filter.nameContains,
    StatusEquals: filter.status as (TrainingJobStatus & ProcessingJobStatus) | undefined,
    SortBy: "CreationTime",
    SortOrder: "Descending",
  } as const);
  return {
    createTrainingJob: (input) =>
      session.sendCreation(
        "sagemaker:CreateTrainingJob",
        `training job ${input.TrainingJobName}`,
        region,
        () => client.send(new CreateTrainingJobCommand(input), options),
      ),
    createProcessingJob: (input) =>
      session.sendCreation(
        "sagemaker:CreateProcessingJob",
        `processing job ${input.ProcessingJobName}`,
        region,
        () => client.send(new CreateProcessingJobCommand(input), options),
      ),
    async describeTrainingJob(name) {
      const { $metadata, ...details } = await session.send(
        "sagemaker:DescribeTrainingJob",
        `training job ${name}`,
        region,
        () => client.send(new DescribeTrainingJobCommand({ TrainingJobName: name }), options),
      );
      if (!details.TrainingJobStatus) throw strangeAnswer($metadata.httpStatusCode);
      return details;
    },
    async describeProcessingJob(name) {
      const { $metadata, ...details } = await session.send(
        "sagemaker:DescribeProcessingJob",
        `processing job ${name}`,
        region,
        () => client.send(new DescribeProcessingJobCommand({ ProcessingJobName: name }), options),
      );
      if (!details.ProcessingJobStatus) throw strangeAnswer($metadata.httpStatusCode);
      return details;
    },
    listTrainingJobs: (filter, pageSize = PAGE_SIZE) =>
      pagesOf("training jobs", async (token) => {
        const { TrainingJobSummaries, NextToken, $metadata } = await session.send(
          "sagemaker:ListTrainingJobs",
          undefined,
          region,
          () =>
            client.send(new ListTrainingJobsCommand(listInput(filter, pageSize, token)), options),
        );
        if (!Array.isArray(TrainingJobSummaries)) throw strangeAnswer($metadata.httpStatusCode);
        const items = TrainingJobSummaries.map((job) => ({
          name: job.TrainingJobName ?? "",
          status: job.TrainingJobStatus ?? "",
          creationTime: job.CreationTime ?? new Date(0),
        }));
        return { items, token: NextToken };
      }),
    listProcessingJobs: (filter, pageSize = PAGE_SIZE) =>
      pagesOf("processing jobs", async (token) => {
        const { ProcessingJobSummaries, NextToken, $metadata } = await session.send(
          "sagemaker:ListProcessingJobs",
          undefined,
          region,
          () =>
            client.send(new ListProcessingJobsCommand(listInput(filter, pageSize, token)), options),
        );
        if (!Array.isArray(ProcessingJobSummaries)) throw strangeAnswer($metadata.httpStatusCode);
        const items = ProcessingJobSummaries.map((job) => ({
          name: job.ProcessingJobName ?? "",
          status: job.ProcessingJobStatus ?? "",
          creationTime: job.CreationTime ?? new Date(0),
        }));
        return { items, token: NextToken };
      }),
    async stopTrainingJob(name) {
      await session.send(
        "sagemaker:StopTrainingJob",
        `training job ${name}`,
        region,
        () => client.send(new StopTrainingJobCommand({ TrainingJobName: name }), options),
      );
    },
    async stopProcessingJob(name) {
      await session.send(
        "sagemaker:StopProcessingJob",
        `processing job ${name}`,
        region,
        () => client.send(new StopProcessingJobCommand({ ProcessingJobName: name }), options),
      );
    },
  };
}
