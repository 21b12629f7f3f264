/**
 * The environment variables of the user's code.
 *
 * @module
 */

import { PATHS } from "./jobs.ts";

/** Name to value. */
export type Variables = Readonly<Record<string, string>>;

/**
 * The specification's `ML_*`, and the `SM_*` of the same meaning. The others (`SM_HPS`, ...) are
 * set by a toolkit in the image, on SageMaker as here; mlcli's harness is such a toolkit.
 */
export function pathVariables(): Variables {
  return {
    ML_MODEL_DIR: PATHS.model,
    ML_INPUT_DIR: PATHS.input,
    ML_OUTPUT_DIR: PATHS.output,
    ML_CHANNEL_TRAINING: `${PATHS.inputData}/training`,
    SM_MODEL_DIR: PATHS.model,
    SM_INPUT_DIR: PATHS.input,
    SM_INPUT_CONFIG_DIR: PATHS.inputConfiguration,
    SM_OUTPUT_DIR: PATHS.output,
    SM_OUTPUT_DATA_DIR: PATHS.outputData,
    SM_CHANNEL_TRAINING: `${PATHS.inputData}/training`,
  };
}

/** SageMaker tells the code that it runs its region; empty where none is configured. */
export function regionVariables(region: string | undefined): Variables {
  return region === undefined ? {} : { AWS_REGION: region };
}

/** What SageMaker tells a training about itself. */
export function trainingVariables(jobName: string): Variables {
  return { TRAINING_JOB_NAME: jobName };
}
