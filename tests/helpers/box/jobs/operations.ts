import { ACCOUNT, REGION } from "../account.ts";
import { emptyAnswer, jsonAnswer } from "../answers.ts";
import { type BoxRequest, type Permission, Refused } from "../service.ts";
import { checkInput } from "../validation.ts";
import { checkJob } from "./checks.ts";
import { type Job, type JobKind, KIND_WORDS, NO_CAPACITY } from "./job.ts";
import type { JobStore } from "./job_store.ts";
import { listJobs } from "./lists.ts";
import type { JobPlatform } from "./platform.ts";
import type { EngineRunner } from "./runner.ts";
import { JOB_RULES } from "./rules.ts";

/** SageMaker, as far as jobs go. */
export class JobOperations implements AsyncDisposable {
  constructor(
    private readonly services: JobPlatform,
    readonly store: JobStore,
    /** What makes jobs go on by themselves; without it they go on as their scripts say. */
    readonly runner?: EngineRunner,
  ) {}

  /** Whether it has that operation. */
  has(operation: string): boolean {
    return JOB_RULES[operation] !== undefined;
  }

  permission({ operation, input }: BoxRequest): Permission {
    const action = `sagemaker:${operation}`;
    const kind: JobKind = operation.includes("Processing") ? "processing" : "training";
    const name = input[`${KIND_WORDS[kind].word}JobName`];
    return { action, resource: typeof name === "string" ? arnOf(kind, name) : "*" };
  }

  /** @throws Refused */
  async handle(request: BoxRequest): Promise<Response> {
    const { operation, input } = request;
    checkInput(JOB_RULES[operation]!, input);
    const [, verb, word] = /^([A-Z][a-z]+)(Training|Processing)Jobs?$/.exec(operation)!;
    const kind: JobKind = word === "Training" ? "training" : "processing";
    if (verb === "List") return jsonAnswer(listJobs(kind, this.store.all, input));
    if (verb === "Create") return this.#create(kind, request);
    const job = this.#job(kind, input[`${word}JobName`]);
    return verb === "Describe" ? await this.#describe(job) : this.#stop(job);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner?.[Symbol.asyncDispose]();
  }

  #create(kind: JobKind, { input, key }: BoxRequest): Response {
    const { word } = KIND_WORDS[kind];
    const name = input[`${word}JobName`];
    if (input.Tags?.length > 0) {
      const permission = { action: "sagemaker:AddTags", resource: arnOf(kind, name) };
      const denial = this.services.platform.faults.denial(permission, key);
      if (denial) throw denial;
    }
    checkJob(kind, input, { services: this.services, roles: this.store.roles, key });
    const existing = this.store.find(kind, name);
    if (existing) {
      throw new Refused(
        "ResourceInUse",
        kind === "training"
          ? "Training job names must be unique within an AWS account and region, and a training " +
            `job with this name already exists (${existing.arn})`
          : "Job name must be unique within an AWS account and region, and a job with this name " +
            `already exists (${existing.arn})`,
      );
    }
    const job = this.store.add(kind, name, input);
    for (const { Key, Value } of input.Tags ?? []) job.tags.set(Key, Value);
    if (this.runner) this.runner.start(job);
    else if (!this.services.platform.faults.hasCapacity) {
      this.store.redirect(job, [
        { status: "Starting", message: NO_CAPACITY.message },
        { end: { status: "Failed", reason: NO_CAPACITY.reason } },
      ]);
    }
    return jsonAnswer({ [`${word}JobArn`]: job.arn });
  }

  async #describe(job: Job): Promise<Response> {
    const answer = jsonAnswer(
      job.kind === "training" ? describeTraining(job) : describeProcessing(job),
    );
    if (!this.runner) await this.store.advance(job);
    return answer;
  }

  #stop(job: Job): Response {
    // A job that is stopping already is stopped once more without a word.
    if (job.status === "Stopping") return emptyAnswer();
    if (job.hasEnded) {
      throw new Refused(
        "ValidationException",
        `The request was rejected because the ${job.kind} job is in status ${job.status}.`,
      );
    }
    if (this.runner) this.runner.stop(job);
    else this.store.stop(job);
    return emptyAnswer();
  }

  #job(kind: JobKind, name: string): Job {
    const job = this.store.find(kind, name);
    if (job) return job;
    throw new Refused(
      "ValidationException",
      kind === "training"
        ? "Requested resource not found."
        : `Could not find requested job with name: ${name}`,
    );
  }
}

function describeTraining(job: Job): unknown {
  const { Tags: _tags, ...request } = job.request;
  return {
    ...request,
    TrainingJobName: job.name,
    TrainingJobArn: job.arn,
    ...(job.artifact === undefined ? {} : { ModelArtifacts: { S3ModelArtifacts: job.artifact } }),
    TrainingJobStatus: job.status,
    SecondaryStatus: job.secondary,
    FailureReason: job.failureReason,
    StoppingCondition: job.request.StoppingCondition ?? { MaxRuntimeInSeconds: 86_400 },
    CreationTime: job.creationTime,
    TrainingStartTime: job.startTime,
    TrainingEndTime: job.endTime,
    LastModifiedTime: job.lastModified,
    SecondaryStatusTransitions: job.transitions,
    TrainingTimeInSeconds: job.trainingTime,
    BillableTimeInSeconds: job.billableTime,
  };
}

function describeProcessing(job: Job): unknown {
  const { Tags: _tags, ...request } = job.request;
  return {
    ...request,
    ProcessingJobName: job.name,
    ProcessingJobArn: job.arn,
    ProcessingJobStatus: job.status,
    ExitMessage: job.exitMessage,
    FailureReason: job.failureReason,
    CreationTime: job.creationTime,
    ProcessingStartTime: job.startTime,
    ProcessingEndTime: job.endTime,
    LastModifiedTime: job.lastModified,
  };
}

function arnOf(kind: JobKind, name: string): string {
  return `arn:aws:sagemaker:${REGION}:${ACCOUNT}:${KIND_WORDS[kind].arn}/${name}`;
}
