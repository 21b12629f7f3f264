/**
 * Following a job to its end: its states as they change, its log as it comes.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import type { Context } from "../../context.ts";
import type { CloudJob, JobName } from "./job.ts";
import type { JobReport } from "./report.ts";

/** What following may touch of the world. */
export type FollowHost = Pick<Context, "interruption" | "clock">;

/** A job that has ended. */
export interface FollowedJob {
  readonly job: CloudJob;
  /** Lines of the log that were shown; `undefined` where the log may not be read. */
  readonly linesShown: number | undefined;
}

/**
 * Follows a job until it has ended and its log has come. A service that does not answer for a while
 * is asked again.
 *
 * @throws AwsError where the job is not there, may not be described, or the credentials have expired
 * and cannot be renewed.
 * @throws Interrupted after Ctrl-C: the job goes on, and a note says how to follow and stop it.
 */
export function followJob(
  job: JobName,
  aws: Aws,
  host: FollowHost,
  report: JobReport,
): Promise<FollowedJob> {
  void [job, aws, host, report];
  return Promise.reject(new Error("not written yet"));
}
