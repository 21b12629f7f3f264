/**
 * The environment variables of the user's code.
 *
 * @module
 */

import { jobArn, type PlatformJob } from "./arns.ts";
import { PATHS } from "./jobs.ts";

/** Name to value. */
export type Variables = Readonly<Record<string, string>>;

/**
 * The specification's `ML_*`. The platform sets no such variables, nor `SM_*`: a toolkit in the image
 * does, on SageMaker as here. mlcli's harness is such a toolkit.
 */
export function pathVariables(): Variables {
  return {
    ML_MODEL_DIR: PATHS.model,
    ML_INPUT_DIR: PATHS.input,
    ML_OUTPUT_DIR: PATHS.output,
    ML_CHANNEL_TRAINING: `${PATHS.inputData}/training`,
  };
}

/** SageMaker tells all code that it runs its region. */
export function regionVariables(region: string): Variables {
  return { AWS_REGION: region };
}

/** What SageMaker tells a training about itself. */
export function trainingVariables(job: PlatformJob): Variables {
  return { TRAINING_JOB_NAME: job.name, TRAINING_JOB_ARN: jobArn("train", job) };
}
