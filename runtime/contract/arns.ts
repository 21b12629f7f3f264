/**
 * Amazon Resource Names: of roles, and of what a local run tells its code.
 *
 * @module
 */

import type { JobKind } from "./jobs.ts";

/** A job by its name on the platform, and where it would run. */
export interface PlatformJob {
  readonly name: string;
  readonly region: string;
}

/**
 * The account of local runs: twelve digits, as every account has, and nobody's. What is looked up
 * under such a name by mistake is denied, and is not somebody else's.
 */
export const LOCAL_ACCOUNT = "000000000000";

/** API reference: `TrainingJobArn`, `ProcessingJobArn`. */
const RESOURCES: Readonly<Record<JobKind, string>> = {
  train: "training-job",
  process: "processing-job",
};

/** `arn:aws:sagemaker:eu-west-1:000000000000:training-job/churn-2026-03-01-09-30-00-123` */
export function jobArn(kind: JobKind, { name, region }: PlatformJob): string {
  return `arn:${partitionOf(region)}:sagemaker:${region}:${LOCAL_ACCOUNT}:${
    RESOURCES[kind]
  }/${name}`;
}

/** The role of a local run, which nobody can assume. */
export function localRoleArn(region: string): string {
  return `arn:${partitionOf(region)}:iam::${LOCAL_ACCOUNT}:role/mlcli-local`;
}

/**
 * `RoleArn` of CreateTrainingJob and CreateProcessingJob (botocore 1.44.5), and a name at its end, which
 * that pattern does not ask for.
 */
export const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/([\w+=,.@-]+\/)*[\w+=,.@-]+$/;
export const ROLE_LENGTH = 2_048;

/** Whether a text is the ARN of a role, with its path. */
export function isRoleArn(text: string): boolean {
  return ROLE_ARN.test(text) && text.length <= ROLE_LENGTH;
}

/** How the regions of each partition begin: botocore 1.44.5, `data/partitions.json`. */
const PARTITIONS: readonly (readonly [start: string, partition: string])[] = [
  ["cn-", "aws-cn"],
  ["us-gov-", "aws-us-gov"],
  ["us-iso-", "aws-iso"],
  ["us-isob-", "aws-iso-b"],
  ["eu-isoe-", "aws-iso-e"],
  ["us-isof-", "aws-iso-f"],
  ["eusc-", "aws-eusc"],
];

function partitionOf(region: string): string {
  return PARTITIONS.find(([start]) => region.startsWith(start))?.[1] ?? "aws";
}
