/**
 * Amazon SageMaker. Importing more than types from here loads the SDK (60 to 130 ms): so only
 * `aws.ts` does it, when a command asks for SageMaker; tests have services of their own.
 *
 * @module
 */

import { SageMakerClient } from "./sdk/sagemaker.ts";
import { type Deployments, deploymentsOf } from "./sagemaker_deployments.ts";
import { type Endpoints, endpointsOf } from "./sagemaker_endpoints.ts";
import { type Jobs, jobsOf } from "./sagemaker_jobs.ts";
import { noticeTheHeard } from "./unheard.ts";
import type { AwsSession } from "./session.ts";
import type { Setting } from "./settings.ts";

/** The operations that mlcli asks for. */
export interface SageMaker extends Endpoints, Deployments, Jobs {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openSageMaker(session: AwsSession): Promise<SageMaker> {
  const client = new SageMakerClient(await session.clientConfiguration("SAGEMAKER"));
  noticeTheHeard(client);
  const region = await session.regionOf(client);
  const asking = { client, session, region };
  return { region, ...endpointsOf(asking), ...deploymentsOf(asking), ...jobsOf(asking) };
}
