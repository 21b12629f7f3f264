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
import { checkTransform } from "./transform/checks.ts";

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
    const kind = kindOf(operation);
    const name = input[`${KIND_WORDS[kind].word}JobName`];
    return { action, resource: typeof name === "string" ? arnOf(kind, name) : "*" };
  }

  /** @throws Refused */
  async handle(request: BoxRequest): Promise<Response> {
    const { operation, input } = request;
    checkInput(JOB_RULES[operation]!, input);
    const kind = kindOf(operation);
    if (operation.startsWith("List")) return jsonAnswer(listJobs(kind, this.store.all, input));
    if (operation.startsWith("Create")) return this.#create(kind, request);
    const job = this.#job(kind, input[`${KIND_WORDS[kind].word}JobName`]);
    return operation.startsWith("Describe") ? await this.#describe(job) : this.#stop(job);
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
    const around = { services: this.services, roles: this.store.roles, key };
    if (kind === "transform") checkTransform(input, around);
    else checkJob(kind, input, around);
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
    const answer = jsonAnswer(describe(job));
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

function describe(job: Job): unknown {
  const { word } = KIND_WORDS[job.kind];
  const { Tags: _tags, ...request } = job.request;
  return {
    ...request,
    [`${word}JobName`]: job.name,
    [`${word}JobArn`]: job.arn,
    [`${word}JobStatus`]: job.status,
    FailureReason: job.failureReason,
    CreationTime: job.creationTime,
    [`${word}StartTime`]: job.startTime,
    [`${word}EndTime`]: job.endTime,
    ...(job.kind === "transform" ? {} : { LastModifiedTime: job.lastModified }),
    ...(job.kind === "processing" ? { ExitMessage: job.exitMessage } : {}),
    ...(job.kind === "training" ? ofTraining(job) : {}),
  };
}

function ofTraining(job: Job): object {
  return {
    ...(job.artifact === undefined ? {} : { ModelArtifacts: { S3ModelArtifacts: job.artifact } }),
    SecondaryStatus: job.secondary,
    StoppingCondition: job.request.StoppingCondition ?? { MaxRuntimeInSeconds: 86_400 },
    SecondaryStatusTransitions: job.transitions,
    TrainingTimeInSeconds: job.trainingTime,
    BillableTimeInSeconds: job.billableTime,
  };
}

/** The kind of the jobs that an operation is about. */
function kindOf(operation: string): JobKind {
  const kinds = Object.keys(KIND_WORDS) as JobKind[];
  return kinds.find((kind) => operation.includes(KIND_WORDS[kind].word))!;
}

function arnOf(kind: JobKind, name: string): string {
  return `arn:aws:sagemaker:${REGION}:${ACCOUNT}:${KIND_WORDS[kind].arn}/${name}`;
}
