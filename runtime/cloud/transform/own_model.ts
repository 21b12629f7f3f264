/** A model that is made for one job: it has the job's name, and goes with it. */

import {
  AwsError,
  isRefusal,
  mayBeDone,
  orNothing,
  orUnknown,
  withMore,
} from "../../aws/errors.ts";
import type { ModelInput, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import { isPlatformJobName } from "../../contract/names.ts";
import { Interrupted } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import { sentences } from "../../text.ts";
import { deletionByHand } from "../endpoints/parts.ts";
import { inParallel, REQUESTS_AT_ONCE } from "../in_parallel.ts";
import { describeJob } from "../jobs/describe.ts";
import { type CloudJob, hasEnded } from "../jobs/job.ts";
import { createTagged, JOB_TAG } from "../tags.ts";

type Tags = Readonly<Record<string, string>>;

export class OwnModel {
  constructor(
    private readonly name: string,
    private readonly sagemaker: SageMaker,
    private readonly messages: Messages,
    private readonly choice: AwsOptions,
    private isTagged = true,
  ) {}

  /** Prints what happens to the model while its job runs. */
  tell(level: "note" | "warning", before?: string): void {
    const [message, hint] = this.#words;
    this.messages[level](sentences(before, message), hint);
  }

  get #words(): readonly [message: string, hint: string] {
    const { name } = this;
    const byHand = deletionByHand({ kind: "model", name }, this.choice);
    return this.isTagged
      ? [
        `Model ${name} exists only for this job: mlcli wait or the next mlcli transform deletes it ` +
        "after the job",
        `Delete it yourself: ${byHand}`,
      ]
      : [
        `Kept model ${name}, because mlcli cannot tell whether it exists only for this job`,
        `If it does, delete it after the job: ${byHand}`,
      ];
  }

  /**
   * Creates the model, and calls the function that creates and follows its job. If that ends without a job,
   * deletes the model.
   *
   * @param tags the user's tags.
   */
  async with<T>(input: ModelInput, tags: Tags, work: () => Promise<T>): Promise<T> {
    // Before the call: it is known also to a user who kills mlcli.
    this.messages.state(`Creating model ${this.name} for this job only`);
    let mayBeThere = true;
    try {
      await createTagged(
        input,
        tags,
        (input) => this.sagemaker.createModel(input),
        (reason) => {
          this.isTagged = false;
          this.messages.note(`The model has no mlcli tags, because setting tags failed: ${reason}`);
        },
      ).catch((error) => {
        mayBeThere = error instanceof Interrupted || mayBeDone(error);
        throw error;
      });
      return await work();
    } catch (error) {
      if (error instanceof Interrupted) this.tell("warning");
      if (!(error instanceof AwsError) || !mayBeThere) throw error;
      if (await jobOf(this.name, this.sagemaker) !== "none") {
        throw withMore(error, sentences(...this.#words));
      }
      await this.delete();
      throw error;
    }
  }

  /** Deletes the model. If that fails, prints its name. */
  async delete(): Promise<void> {
    try {
      await this.sagemaker.deleteModel(this.name);
      this.messages.state(`Deleted model ${this.name}, which was created for this job`);
    } catch (error) {
      if (isRefusal(error, "not found")) return;
      this.tell("warning", error instanceof AwsError ? error.message : undefined);
      if (!(error instanceof AwsError)) throw error;
    }
  }
}

/**
 * Deletes the model that was created for a transform job. While the job runs, prints a note about the model.
 * The model's tag tells whether it was created for the job. Without the permission to read the tag, the model
 * stays.
 */
export async function endModelOf(
  job: CloudJob,
  sagemaker: SageMaker,
  messages: Messages,
  choice: AwsOptions,
): Promise<void> {
  if (job.kind !== "transform" || job.model !== job.name) return;
  const asked = orNothing(sagemaker.describeModel(job.name));
  const model = await orUnknown(asked.then((model) => model ?? "none"));
  if (model === "none") return;
  const isOwn = await isFor(job.name, model, sagemaker);
  const own = new OwnModel(job.name, sagemaker, messages, choice, isOwn);
  if (isOwn && hasEnded(job)) await own.delete();
  else own.tell("note");
}

/** `undefined` if SageMaker does not tell whether the job exists. */
function jobOf(name: string, sagemaker: SageMaker): Promise<CloudJob | "none" | undefined> {
  const asked = orNothing(describeJob(sagemaker, { kind: "transform", name }));
  return orUnknown(asked.then((job) => job ?? "none"));
}

async function isFor(
  job: string,
  model: { readonly ModelArn?: string | undefined } | undefined,
  sagemaker: SageMaker,
): Promise<boolean> {
  const arn = model?.ModelArn;
  return arn !== undefined && (await orUnknown(sagemaker.tagsOf(arn)))?.[JOB_TAG] === job;
}

/** A model without a job may belong to a command that is about to create the job, in ms. */
const ABOUT_TO = 15 * 60_000;

/** Maximum number of models to check, the newest first. */
const MOST = 20;

/**
 * Deletes models of transform jobs that ended while no command waited for them. The next command retries
 * models that cannot be described or deleted.
 *
 * @param base of the jobs' names.
 */
export async function deleteLeftModels(
  base: string,
  sagemaker: SageMaker,
  { clock, messages }: Pick<Context, "clock" | "messages">,
): Promise<void> {
  const page = await orUnknown(sagemaker.listModels(base.replace(/[^a-zA-Z0-9]/g, "-")).next());
  const found = page?.done ? [] : page?.value ?? [];
  const ours = found.filter(({ ModelName = "" }) => isPlatformJobName(ModelName, base));
  await inParallel(ours.slice(0, MOST), REQUESTS_AT_ONCE, async (model) => {
    const { ModelName: name = "", CreationTime = 0 } = model;
    const isOld = +clock.date() - +CreationTime > ABOUT_TO;
    const job = await jobOf(name, sagemaker);
    const isOver = job === "none" ? isOld : job !== undefined && hasEnded(job);
    if (!isOver || !await isFor(name, model, sagemaker)) return;
    if (await orUnknown(sagemaker.deleteModel(name).then(() => true))) {
      messages.state(`Deleted model ${name}, whose job has ended`);
    }
  });
}
