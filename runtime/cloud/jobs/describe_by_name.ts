/**
 * `describe`: what a job is, how far it is, how it ended.
 *
 * @module
 */

import { type CloudHost, connectToAws } from "../connection.ts";
import { findJob } from "./find_job.ts";
import type { CloudJob } from "./job.ts";
import type { JobRequest } from "./request.ts";

/**
 * Describes the job of a name.
 * @throws AwsError where there is no such job; MlcliError where there are several.
 */
export async function describeByName(
  { choice, name, kind }: JobRequest,
  host: CloudHost,
): Promise<CloudJob> {
  const aws = await connectToAws(choice, host);
  return await findJob(await aws.sagemaker(), name, kind);
}
