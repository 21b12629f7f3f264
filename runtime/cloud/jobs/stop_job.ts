/**
 * `stop-job`: ends a job in the cloud.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import { AwsError, isRefusal } from "../../aws/errors.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import { billWords } from "./bill.ts";
import { artifactOf } from "./end.ts";
import { findJob } from "./find_job.ts";
import { followJob } from "./follow.ts";
import { type CloudJob, describeJob, hasEnded, KIND_WORDS } from "./job.ts";
import type { JobReport } from "./report.ts";
import type { JobRequest } from "./request.ts";

/** Which job to stop, and whether to wait until it has ended. */
export interface StopRequest extends JobRequest {
  readonly wait: boolean;
}

/**
 * Stops a job; one that has ended already stays as it is. Its name is the result.
 *
 * @throws AwsError where there is no such job, or it may not be stopped.
 * @throws MlcliError where there are several.
 */
export async function stopJob(
  { choice, name, kind, wait }: StopRequest,
  host: CloudHost,
  report: JobReport,
): Promise<void> {
  const aws = await connectToAws(choice, host);
  const job = await findJob(await aws.sagemaker(), name, kind);
  const ended = hasEnded(job) ? job : await stop(job, aws);
  if (ended) {
    report.note(`Nothing to stop: the ${KIND_WORDS[job.kind]} has ended (${ended.status}).`);
    return report.result(name);
  }
  if (wait) {
    const { job: end } = await followJob(job, aws, host, report, { log: false, choice });
    const bill = billWords(end);
    if (bill) report.note(`Time: ${bill}`);
    const artifact = await artifactOf(end, aws);
    if (artifact) report.note(`It left what it had done until then: ${artifact}`);
  }
  report.result(name);
}

/** Stops it; returns how it had ended before, where it had. */
async function stop({ kind, name }: CloudJob, aws: Aws): Promise<CloudJob | undefined> {
  const sagemaker = await aws.sagemaker();
  try {
    await (kind === "train" ? sagemaker.stopTrainingJob(name) : sagemaker.stopProcessingJob(name));
    return undefined;
  } catch (error) {
    // It may have ended meanwhile: the service refuses that with words alone.
    if (!(error instanceof AwsError) || isRefusal(error, "denied")) throw error;
    const now = await describeJob(sagemaker, { kind, name }).catch(() => undefined);
    if (now && hasEnded(now)) return now;
    throw error;
  }
}
