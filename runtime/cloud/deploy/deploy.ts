/**
 * `deploy`: creates an endpoint that serves a model, or has one that is there serve another.
 *
 * @module
 */

import type { AwsOptions } from "../../aws/settings.ts";
import { MlcliError } from "../../errors.ts";
import type { JobReport } from "../jobs/report.ts";
import type { JobHost } from "../start/start.ts";
import type { DeployRequest } from "./request.ts";

/**
 * Creates or updates the endpoint. Everything is checked before anything is made; what served keeps
 * serving whatever goes wrong.
 *
 * @throws UsageError for options that are missing or do not go together; MlcliError for what the
 * platform would refuse, and where the endpoint does not come to serve what was asked for.
 */
// deno-lint-ignore require-await -- not there yet
export async function deploy(
  request: DeployRequest,
  _choice: AwsOptions,
  _host: JobHost,
  _report: JobReport,
): Promise<void> {
  throw new MlcliError(`Not there yet: deploy of ${request.endpoint}`);
}
