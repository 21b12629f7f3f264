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
  StopProcessingJobCommand,
  StopTrainingJobCommand,
  StopTransformJobCommand,
} from "@aws-sdk/client-sagemaker";
import type { JobKind } from "../contract/jobs.ts";
import { type Answered, withoutMetadata } from "./explanations.ts";
import type { Command, Service } from "./session.ts";

/** The bodies of CreateTrainingJob, CreateProcessingJob and CreateTransformJob. */
export type TrainingJobInput = CreateTrainingJobCommandInput;
export type ProcessingJobInput = CreateProcessingJobCommandInput;
export type TransformJobInput = CreateTransformJobCommandInput;
export type JobInput = TrainingJobInput | ProcessingJobInput | TransformJobInput;

/** What SageMaker says of a job of each kind. */
export interface JobDetails {
  readonly train: Omit<DescribeTrainingJobCommandOutput, "$metadata">;
  readonly process: Omit<DescribeProcessingJobCommandOutput, "$metadata">;
  readonly transform: Omit<DescribeTransformJobCommandOutput, "$metadata">;
}

/** What all kinds have. */
export interface JobSummary {
  readonly name: string;
  readonly arn: string | undefined;
  /** Whatever the service sends: `InProgress`, `Completed`, `Failed`, `Stopping`, `Stopped`. */
  readonly status: string;
  readonly creationTime: Date;
  /** Only where the job is described. */
  readonly startTime: Date | undefined;
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
  createJob(kind: JobKind, input: JobInput): Promise<string | undefined>;
  /** `AwsError`, "not found", where there is none of that name. */
  describeJob<Kind extends JobKind>(
    kind: Kind,
    name: string,
  ): Promise<readonly [JobSummary, JobDetails[Kind]]>;
  /** Pages of jobs, newest first; the next is asked for when needed. */
  listJobs(
    kind: JobKind,
    filter: ListFilter,
    pageSize?: number,
  ): AsyncGenerator<readonly JobSummary[]>;
  /** Returns when the service has begun; the job ends minutes later. */
  stopJob(kind: JobKind, name: string): Promise<unknown>;
}

// deno-lint-ignore no-explicit-any -- the SDK has types for each kind, with its word in their members
type Members = Record<string, any>;
type AnyCommand = new (input: Members) => Command<Answered & Members>;

/** The word that the members of a kind's inputs and answers have, and the SDK's commands. */
const COMMANDS = {
  train: {
    word: "Training",
    Create: CreateTrainingJobCommand,
    Describe: DescribeTrainingJobCommand,
    List: ListTrainingJobsCommand,
    Stop: StopTrainingJobCommand,
  },
  process: {
    word: "Processing",
    Create: CreateProcessingJobCommand,
    Describe: DescribeProcessingJobCommand,
    List: ListProcessingJobsCommand,
    Stop: StopProcessingJobCommand,
  },
  transform: {
    word: "Transform",
    Create: CreateTransformJobCommand,
    Describe: DescribeTransformJobCommand,
    List: ListTransformJobsCommand,
    Stop: StopTransformJobCommand,
  },
};

/** The most that a list gives at once: `MaxResults`. */
const PAGE_SIZE = 100;

export function jobsOf({ ask, change, pages }: Service): Jobs {
  const of = (kind: JobKind) => {
    const { word, ...commands } = COMMANDS[kind];
    const member = `${word}JobName`;
    const subject = `${word.toLowerCase()} job`;
    return { word, member, subject, ...commands as unknown as Record<CommandName, AnyCommand> };
  };
  return {
    async createJob(kind, input: Members) {
      const { word, member, subject, Create } = of(kind);
      const answer = await change(new Create(input), `${subject} ${input[member]}`, "in use");
      return answer?.[`${word}JobArn`];
    },
    async describeJob<Kind extends JobKind>(kind: Kind, name: string) {
      const { word, member, subject, Describe } = of(kind);
      const command = new Describe({ [member]: name });
      const answer = await ask(command, `${subject} ${name}`, [`${word}JobStatus`]);
      return [summaryOf(word, answer), withoutMetadata(answer) as unknown as JobDetails[Kind]];
    },
    listJobs(kind, { nameContains, status }, size = PAGE_SIZE) {
      const { word, subject, List } = of(kind);
      const input = {
        MaxResults: Math.min(size, PAGE_SIZE),
        NameContains: nameContains,
        StatusEquals: status,
        SortBy: "CreationTime",
        SortOrder: "Descending",
      };
      return pages<Answered & Members, string, JobSummary>(
        `${subject}s`,
        (NextToken) => new List({ ...input, NextToken }),
        `${word}JobSummaries`,
        (job) => summaryOf(word, job as Members),
      );
    },
    stopJob(kind, name) {
      const { member, subject, Stop } = of(kind);
      return ask(new Stop({ [member]: name }), `${subject} ${name}`);
    },
  };
}

function summaryOf(word: string, job: Members): JobSummary {
  return {
    name: job[`${word}JobName`] ?? "",
    arn: job[`${word}JobArn`],
    status: job[`${word}JobStatus`] ?? "",
    creationTime: job.CreationTime ?? new Date(0),
    startTime: job[`${word}StartTime`],
    endTime: job[`${word}EndTime`],
    failureReason: job.FailureReason || undefined,
  };
}

type CommandName = "Create" | "Describe" | "List" | "Stop";
