/**
 * What the parts of a deployment work with.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import { AwsError } from "../../aws/errors.ts";
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

/** The error, with one more thing to know. */
export function withHint(error: AwsError, more: string): AwsError {
  return new AwsError(error.refusal, error.message, {
    hint: [error.hint, more].filter((part) => part).join(" "),
    quote: error.quote,
    cause: error.cause,
  });
}
