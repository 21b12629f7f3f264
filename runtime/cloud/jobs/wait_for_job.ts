/**
 * `wait`: until a job has ended.
 *
 * @module
 */

import { type CloudHost, connectToAws } from "../connection.ts";
import { reportEnd } from "./end.ts";
import { findJob } from "./find_job.ts";
import { followJob } from "./follow.ts";
import type { JobReport } from "./report.ts";
import type { JobRequest } from "./request.ts";

/**
 * Waits for the end of a job, and tells it as the command does that created the job.
 *
 * @throws AwsError where there is no such job; MlcliError where there are several, and where it
 * failed or was stopped.
 */
export async function waitForJob(
  { choice, name, kind }: JobRequest,
  host: CloudHost,
  report: JobReport,
): Promise<void> {
  const aws = await connectToAws(choice, host);
  const job = await findJob(await aws.sagemaker(), name, kind);
  // The log is what mlcli logs is for: with a failure, its end comes too.
  const followed = await followJob(job, aws, host, report, { log: false, choice });
  await reportEnd(followed, aws, report);
}
