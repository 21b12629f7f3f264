/** What jobs need of the other services of the box. */

import { tarGz } from "../../tar.ts";
import type { EcrService } from "../ecr.ts";
import type { Model } from "../endpoints/resource.ts";
import type { Entry } from "../engine/archive.ts";
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
  readonly models: Pick<ReadonlyMap<string, Model>, "get">;
}

/** What jobs leave that do not run: log lines, and an artifact with one file in it. */
export function jobWorld({ s3, logs }: Pick<JobPlatform, "s3" | "logs">): JobWorld {
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

/** What runs, and what it finds. */
export interface JobPlan {
  /** Takes the place of the image's entry point. */
  readonly entrypoint?: readonly string[];
  /** Takes the place of the image's command. */
  readonly command?: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Directories with a disk of their own, empty apart from `entries`; the image's are not seen. */
  readonly volumes: readonly string[];
  /** What lies there on a host when it starts, from `/`. */
  readonly entries: (host: number) => Promise<readonly Entry[]>;
  readonly isIsolated: boolean;
  /** In seconds. */
  readonly maxRuntime: number;
}
