/**
 * What the parts of a deployment work with.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { Context } from "../../context.ts";
import type { JobReport } from "../jobs/report.ts";
import type { CheckedRequest } from "./checks.ts";
import type { State } from "./state.ts";

/** What deploying may touch of the world. */
export type DeployHost = Pick<
  Context,
  "cwd" | "env" | "aws" | "engine" | "interruption" | "clock"
>;

/** What is carried out, where. */
export interface Work {
  readonly request: CheckedRequest;
  readonly state: State;
  readonly aws: Aws;
  readonly sagemaker: SageMaker;
  readonly host: DeployHost;
  readonly report: JobReport;
  readonly choice: AwsOptions;
}
