/**
 * Creating a job, and what is known of it when that does not go as expected: a job that nobody knows
 * of costs money.
 *
 * @module
 */

import { AwsError, mayBeDone, orNothing, withHint } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { JobKind } from "../../contract/jobs.ts";
import { Interrupted } from "../../errors.ts";
import { commandFor } from "../jobs/commands.ts";
import { describeJob, type JobName, KIND_WORDS } from "../jobs/job.ts";
import type { JobReport } from "../jobs/report.ts";
import { isAboutTags } from "../tags.ts";

/** How to create it. */
export interface Creation {
  readonly job: JobName;
  /** Sends the call; with the user's own tags alone where mlcli's may not be there. */
  readonly send: (withOwnTags: boolean) => Promise<void>;
  /** Whether the user gave tags: then the job is not to be without. */
  readonly hasUserTags: boolean;
  /** The options of the command, for command lines to paste. */
  readonly choice: AwsOptions;
}

/**
 * Creates a job. What exists after a failure or an interruption is told.
 *
 * @throws AwsError when the service refuses, or the job may be there; Interrupted.
 */
export async function createJob(
  creation: Creation,
  sagemaker: SageMaker,
  signal: AbortSignal,
  report: Pick<JobReport, "note">,
): Promise<void> {
  await nothingCreated(creation.job.kind, notAborted(signal), report);
  try {
    await sendWithTags(creation, report);
  } catch (error) {
    if (error instanceof Interrupted) {
      report.note(`Interrupted: ${mayExist(creation)}`);
      throw error;
    }
    if (!mayBeDone(error)) throw error;
    if (!await isThere(creation, sagemaker, error, report)) throw notCreated(creation, error);
    report.note(
      `The answer was lost, but ${KIND_WORDS[creation.job.kind]} ${creation.job.name} is there.`,
    );
  }
}

/** Waits for what comes before a job; where that is interrupted, says that there is none. */
export async function nothingCreated<T>(
  kind: JobKind,
  before: Promise<T>,
  report: Pick<JobReport, "note">,
): Promise<T> {
  try {
    return await before;
  } catch (error) {
    if (error instanceof Interrupted) {
      report.note(`Interrupted: no ${KIND_WORDS[kind]} was created.`);
    }
    throw error;
  }
}

// deno-lint-ignore require-await -- a rejection, as of what else is waited for
async function notAborted(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
}

async function sendWithTags(
  { send, hasUserTags, job }: Creation,
  report: Pick<JobReport, "note">,
): Promise<void> {
  try {
    await send(true);
  } catch (error) {
    if (!isAboutTags(error) || hasUserTags) throw error;
    report.note(
      `Without mlcli's tags, which the ${KIND_WORDS[job.kind]} may not have: ${error.message}`,
    );
    await send(false);
  }
}

/** Whether the service has the job. */
async function isThere(
  creation: Creation,
  sagemaker: SageMaker,
  failure: AwsError,
  report: Pick<JobReport, "note">,
): Promise<boolean> {
  try {
    return await orNothing(describeJob(sagemaker, creation.job)) !== undefined;
  } catch (error) {
    if (error instanceof Interrupted) report.note(`Interrupted: ${mayExist(creation)}`);
    if (!(error instanceof AwsError)) throw error;
    throw withHint(failure, `Nobody knows: ${mayExist(creation)}`);
  }
}

function notCreated({ job }: Creation, failure: AwsError): AwsError {
  return withHint(
    failure,
    `No ${KIND_WORDS[job.kind]} was created. ${failure.hint ?? ""}`.trimEnd(),
  );
}

function mayExist({ job: { kind, name }, choice }: Creation): string {
  const command = commandFor(name, choice);
  return `${KIND_WORDS[kind]} ${name} may have been created. ${command("describe")} shows it, ` +
    `${command("stop-job")} stops it.`;
}
