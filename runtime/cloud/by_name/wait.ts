/**
 * `wait`: until a job has ended, or an endpoint has settled.
 *
 * @module
 */

import { type CloudHost, connectToAws } from "../connection.ts";
import { waitForEndpoint } from "../endpoints/wait_for_endpoint.ts";
import { reportEnd } from "../jobs/end.ts";
import { followJob } from "../jobs/follow.ts";
import type { JobReport } from "../jobs/report.ts";
import { findByName } from "./find.ts";
import { KINDS, type NamedRequest } from "./request.ts";

/**
 * Waits for the end of a job, and tells it as the command does that created the job; or until an
 * endpoint is in service.
 *
 * @throws AwsError where there is nothing of that name; MlcliError where there are several, and where
 * it failed, was stopped or taken back.
 */
export async function waitByName(
  { choice, name, kind }: NamedRequest,
  host: CloudHost,
  report: JobReport,
): Promise<void> {
  const aws = await connectToAws(choice, host);
  const found = await findByName(await aws.sagemaker(), name, kind ? [kind] : KINDS);
  if (found.kind === "endpoint") return await waitForEndpoint(found, aws, host, report, choice);
  // The log is what mlcli logs is for: with a failure, its end comes too.
  const followed = await followJob(found, aws, host, report, { log: false, choice });
  await reportEnd(followed, aws, report);
}
