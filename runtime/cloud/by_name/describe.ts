/**
 * `describe`: what a job or an endpoint is, how far it is, how it ended.
 *
 * @module
 */

import { type CloudHost, connectToAws } from "../connection.ts";
import { detailsOf, type EndpointDetails } from "../endpoints/details.ts";
import type { CloudJob } from "../jobs/job.ts";
import { findByName } from "./find.ts";
import { KINDS, type NamedRequest } from "./request.ts";

/**
 * Describes what has a name.
 * @param note tells what of it may not be asked.
 * @throws AwsError where there is nothing of that name; MlcliError where there are several.
 */
export async function describeByName(
  { choice, name, kind }: NamedRequest,
  host: CloudHost,
  note: (text: string) => void,
): Promise<CloudJob | EndpointDetails> {
  const aws = await connectToAws(choice, host);
  const sagemaker = await aws.sagemaker();
  const found = await findByName(sagemaker, name, kind ? [kind] : KINDS);
  return found.kind === "endpoint" ? await detailsOf(sagemaker, found, note) : found;
}
