/**
 * How much room a model has where SageMaker unpacks it.
 *
 * @module
 */

import { hasOwnDisk } from "./instance_disks.ts";
import { isAccelerated } from "./instance_types.ts";

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
    bytes: hasVolume(instanceType) ? (volumeSize ?? INSTANCE_GB) * GB : undefined,
    words: instanceType,
    remedy: "Instance types with disks of their own have more: ml.m5d, ml.c5d, ml.g5, ...",
  };
}

/** Families with accelerators and without disks (EC2 user guide, "Instance store volumes"). */
const WITHOUT_DISKS = /^ml\.(g3s?|p2|p3|inf[12])\./;

/**
 * Whether models lie on a volume, whose size is known. Disks of instances are of another size for each
 * type, and large; an accelerated family that mlcli has not heard of will have one.
 */
function hasVolume(instanceType: string): boolean {
  if (!/^ml\.[\w-]+\.\w+$/.test(instanceType) || hasOwnDisk(instanceType)) return false;
  return !isAccelerated(instanceType) || WITHOUT_DISKS.test(instanceType);
}
