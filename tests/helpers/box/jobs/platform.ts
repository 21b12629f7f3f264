/**
 * What jobs need of the other services of the box.
 *
 * @module
 */

import type { EcrService } from "../ecr_open.ts";
import type { Platform } from "../service.ts";

/** S3, as far as jobs use it. */
export interface JobBuckets {
  readonly buckets: ReadonlyMap<string, { readonly region: string }>;
  /** Keys that begin with the prefix, sorted as S3 does. */
  keys(bucket: string, prefix?: string): readonly string[];
  put(bucket: string, key: string, content: string | Uint8Array): Promise<unknown>;
  putFile(bucket: string, key: string, path: string): Promise<unknown>;
  download(bucket: string, key: string, path: string): Promise<void>;
}

/** CloudWatch Logs, as far as jobs use it. */
export interface JobLogs {
  /** Adds events to a stream; group and stream are made where they are missing. */
  append(group: string, stream: string, messages: readonly string[]): void;
}

/** The services around SageMaker. */
export interface JobPlatform extends Pick<Platform, "faults" | "problem" | "directory"> {
  readonly s3: JobBuckets;
  readonly ecr: EcrService;
  readonly logs: JobLogs;
}

/** `s3://bucket/a/b`: bucket and key. */
export function parseS3Uri(uri: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = "", key = ""] = /^(?:s3|https):\/\/([^/]+)\/?(.*)$/s.exec(uri) ?? [];
  return { bucket, key };
}
