/** SageMaker's instance types: processors, disks, and how much room a model has on them. */

export type Architecture = "amd64" | "arm64";

/**
 * Which images an instance type runs: `ml.m5.xlarge`, `ml.c7g.large`. Graviton's families have a `g`
 * among the letters after their generation, and Grace's a part `gb`; `a1` was the first Graviton
 * (EC2 user guide, "Amazon EC2 instance type naming conventions"). New types will follow that.
 */
export function architectureOf(instanceType: string): Architecture {
  return /^a1$|^[a-z]+\d+[a-z]*g|-gb\d/.test(familyOf(instanceType)) ? "arm64" : "amd64";
}

/** `m5` of `ml.m5.xlarge` and `m5.xlarge`. */
function familyOf(instanceType: string): string {
  return /^(?:ml\.)?([^.]+)/.exec(instanceType)?.[1] ?? "";
}

/** Whether an instance type has GPUs (g, gr, p), Inferentia or Trainium (the same page). */
export function isAccelerated(instanceType: string): boolean {
  return /^(g|gr|p|inf|trn|dl)\d/.test(familyOf(instanceType));
}

/**
 * Families with disks of their own (NVMe), which a job's data lies on: the size that is asked for is
 * ignored, and a key for them is refused. CreateTrainingJob, `ResourceConfig`: "You can't request a
 * VolumeKmsKeyId when using an instance type with local storage". A `d` after the generation says so
 * (m5d, g4dn, p4d); these have one without it. Source: EC2 user guide, "Instance store volumes".
 */
const WITH_DISKS = /^(g5|g6e?|gr6|g7e?|p5(e|en)?|p6[a-z-]*|trn1n?|trn2u?|i[34].*)$/;

/** Whether an instance type has disks of its own: `ml.g5.xlarge`. */
export function hasOwnDisk(instanceType: string): boolean {
  const family = familyOf(instanceType);
  return WITH_DISKS.test(family) || /^[a-z]+\d+[a-ce-z]*d[a-z]*$/.test(family);
}

/** Machines of one type in a training; those of several types are groups with names. */
export interface InstanceGroup {
  readonly name: string;
  readonly type: string;
  readonly count: number;
}

export interface ModelRoom {
  /** `undefined`: not known. */
  readonly bytes: number | undefined;
  /** Of what: `ml.m5.large`, `a serverless endpoint`. */
  readonly words: string;
  readonly hint: string;
}

interface ServedOn {
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
      hint: "Deploy to instances, which have more disk space: --ec2-type TYPE",
    };
  }
  return {
    bytes: hasVolume(instanceType) ? (volumeSize ?? INSTANCE_GB) * GB : undefined,
    words: instanceType,
    hint: "Use an instance type with local disks, such as ml.m5d, ml.c5d or ml.g5",
  };
}

/** Families with accelerators and without disks (EC2 user guide, "Instance store volumes"). */
const WITHOUT_DISKS = /^ml\.(g3s?|p2|p3|inf[12])\./;

/**
 * Whether models lie on a volume, whose size is known. Instances' own disks are large, and differ
 * by type; unknown families with accelerators are taken to have one.
 */
function hasVolume(instanceType: string): boolean {
  if (!/^ml\.[\w-]+\.\w+$/.test(instanceType) || hasOwnDisk(instanceType)) return false;
  return !isAccelerated(instanceType) || WITHOUT_DISKS.test(instanceType);
}
