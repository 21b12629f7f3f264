/**
 * What the end of a job means for the command that waited for it.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import type { FollowedJob } from "./follow.ts";
import type { JobReport } from "./report.ts";

/**
 * Tells how a job ended: its result (of training the artifact's address, of processing its output's),
 * the time billed and, for spot, what it saved.
 *
 * @throws MlcliError where it failed (with the whole reason, the end of the log and the likely cause)
 * or was stopped; where a stopped one left an artifact, that has been reported as the result.
 */
export function reportEnd(followed: FollowedJob, aws: Aws, report: JobReport): Promise<void> {
  void [followed, aws, report];
  return Promise.reject(new Error("not written yet"));
}
