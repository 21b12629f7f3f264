/**
 * How much room a model has where SageMaker unpacks it.
 *
 * @module
 */

import { hasOwnDisk } from "./instance_disks.ts";

/** Room for a model. */
export interface ModelRoom {
  /** In bytes; `undefined`: nobody says. */
  readonly bytes: number | undefined;
  /** What has it: `ml.m5.large`, `a serverless endpoint`. */
  readonly words: string;
  /** What has more. */
  readonly remedy: string;
}

/** Where a model is to be served. */
export interface ServedOn {
  /** `undefined`: serverless. */
  readonly instanceType: string | undefined;
  /** In GB, where the endpoint's configuration names one (`VolumeSizeInGB`). */
  readonly volumeSize?: number | undefined;
}

/**
 * Developer guide, "Deploy models with Amazon SageMaker Serverless Inference": whatever its memory, "your
 * serverless endpoint has 5 GB of ephemeral disk storage available".
 */
const SERVERLESS_GB = 5;

/**
 * Developer guide, "SageMaker AI endpoint parameters for large model inference": "If the size of the
 * model is larger than 30 GB and you are using an instance without a local disk, you should increase
 * this parameter [VolumeSizeInGB] to be slightly larger than the size of your model."
 */
const INSTANCE_GB = 30;

const GB = 1024 ** 3;

/** The room on instances of a type, or of a serverless endpoint. */
export function roomFor({ instanceType, volumeSize }: ServedOn): ModelRoom {
  if (instanceType === undefined) {
    return {
      bytes: SERVERLESS_GB * GB,
      words: "a serverless endpoint",
      remedy: `Instances have more: --ec2-type`,
    };
  }
  return {
    // The sizes of disks of their own are another for each type, and large.
    bytes: hasOwnDisk(instanceType) ? undefined : (volumeSize ?? INSTANCE_GB) * GB,
    words: instanceType,
    remedy: "Instance types with disks of their own have more: ml.m5d, ml.c5d, ml.g5, ...",
  };
}
