/**
 * What jobs need of the other services of the box.
 *
 * @module
 */

import { tarGz } from "../../tar.ts";
import type { EcrService } from "../ecr.ts";
import type { LogStore } from "../logs.ts";
import type { S3Store } from "../s3_store.ts";
import type { Platform } from "../service.ts";
import type { JobWorld } from "./job_store.ts";

/** The services around SageMaker. */
export interface JobPlatform {
  readonly platform: Pick<Platform, "faults" | "problem" | "directory">;
  readonly s3: S3Store;
  readonly ecr: EcrService;
  readonly logs: LogStore;
}

/** What jobs leave that do not run: log lines, and an artifact with one file in it. */
export function jobWorld({ s3, logs }: JobPlatform): JobWorld {
  return {
    log: (group, stream, messages) => logs.put(group, stream, messages),
    leaveArtifact: async (address) => {
      const { bucket, key } = parseS3Uri(address);
      if (!s3.buckets.has(bucket)) return;
      await s3.put(bucket, key, await tarGz([{ name: "model.txt", content: "seven" }]));
    },
  };
}

/** `s3://bucket/a/b`: bucket and key. */
export function parseS3Uri(uri: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = "", key = ""] = /^(?:s3|https):\/\/([^/]+)\/?(.*)$/s.exec(uri) ?? [];
  return { bucket, key };
}
