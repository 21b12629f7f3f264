/** Addresses in S3, and Amazon Resource Names. */

import type { JobKind } from "./jobs.ts";
import { bytesOf } from "./limits.ts";

/** Where an object lies, or what the keys of several begin with. */
export interface S3Address {
  readonly bucket: string;
  /** A key, or the beginning of some; empty for all of a bucket. */
  readonly key: string;
}

/**
 * An address with any key. Names of buckets have 3 to 63 lower-case letters, digits, dots and hyphens
 * (S3 user guide, "General purpose bucket naming rules").
 */
export const S3_URI = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s;

/** A key has 1,024 bytes at most (S3 user guide, "Naming Amazon S3 objects"). */
export const KEY_BYTES = 1_024;

/**
 * Takes `s3://BUCKET/KEY` apart; `undefined` where no such address can be. In a key there are neither
 * characters that a terminal obeys or that hide others (S3 advises against them, too), nor `.` and `..`
 * as names of directories, which HTTP clients remove.
 */
export function parseS3Uri(text: string): S3Address | undefined {
  const [, bucket, key = ""] = S3_URI.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(^|\/)\.\.?(\/|$)/u.test(key)) return undefined;
  if (bytesOf(key) > KEY_BYTES) return undefined;
  return { bucket, key };
}

export function s3Uri({ bucket, key }: S3Address): string {
  return `s3://${bucket}/${key}`;
}

/**
 * The address as a prefix of the keys in a directory, with `/` at its end: SageMaker matches
 * prefixes as text, and `data/train` would mean `data/training-old/` too.
 */
export function asDirectory({ bucket, key }: S3Address): S3Address {
  return { bucket, key: key === "" || key.endsWith("/") ? key : `${key}/` };
}

export function within(directory: S3Address, path: string): S3Address {
  const { bucket, key } = asDirectory(directory);
  return { bucket, key: `${key}${path}` };
}

/** The account in an ARN, `arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME`; not each ARN has one. */
export function accountOf(arn: string): string | undefined {
  return arn.split(":")[4] || undefined;
}

/** A job by its name on SageMaker, and where it would run. */
export interface PlatformJob {
  readonly name: string;
  readonly region: string;
}

/** The account in ARNs of local runs. It is nobody's: whoever looks there by mistake finds nothing. */
export const LOCAL_ACCOUNT = "000000000000";

/** API reference: `TrainingJobArn`, `ProcessingJobArn`, `TransformJobArn`. */
const RESOURCES: Readonly<Record<JobKind, string>> = {
  train: "training-job",
  process: "processing-job",
  transform: "transform-job",
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
