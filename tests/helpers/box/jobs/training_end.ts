/**
 * What is kept of a training: its model, its output, its checkpoints, and why it failed.
 *
 * @module
 */

import type { S3Store } from "../s3_store.ts";
import { gzip } from "../../tar.ts";
import { type Entry, packed } from "../engine/archive.ts";
import { upload } from "./channel.ts";
import type { Cluster, ClusterEnd } from "./cluster.ts";
import type { EngineContainer, Exit } from "../engine/container.ts";
import type { Job, JobEnd } from "./job.ts";
import { artifactAddress } from "./job_store.ts";
import { type JobPlatform, parseS3Uri } from "./platform.ts";
import { checkpointPath } from "./training_plan.ts";

/** Characters of the failure file that are told. */
const REASON_LENGTH = 1_024;

/** SageMaker's words for a machine that is too small. */
export const OUT_OF_MEMORY = "ClientError: Please use an instance type with more memory, or " +
  "reduce the size of job data processed on an instance.";

/** Uploads what is kept, and says how the job ended. */
export async function finishTraining(
  job: Job,
  { containers }: Cluster,
  { cause, host, exit }: ClusterEnd,
  { s3 }: JobPlatform,
): Promise<JobEnd> {
  const artifact = artifactAddress(job);
  const missing = s3.buckets.has(parseS3Uri(artifact).bucket)
    ? undefined
    : "ClientError: Artifact upload failed:The specified bucket does not exist";
  if (cause === "exited" && exit.status !== 0) {
    const reason = await failureReason(host, exit);
    // The output is kept of a training that failed; a model is not.
    if (!missing) await keep(s3, containers, "/opt/ml/output/data", sibling(artifact, "output"));
    return { status: "Failed", reason };
  }
  if (cause === "exited") job.enter("Uploading");
  if (missing) return { status: "Failed", reason: missing };
  await keep(s3, containers, "/opt/ml/model", artifact);
  await keep(s3, containers, "/opt/ml/output/data", sibling(artifact, "output"));
  if (cause === "exited") return { status: "Completed", artifact };
  return cause === "time"
    ? { status: "Stopped", secondary: "MaxRuntimeExceeded", artifact }
    : { status: "Stopped", artifact };
}

/** Writes the checkpoints of all hosts to where the next attempt, or job, finds them. */
export async function keepCheckpoints(
  { request }: Job,
  { containers }: Cluster,
  s3: S3Store,
): Promise<void> {
  const path = checkpointPath(request);
  if (path === undefined) return;
  if (!s3.buckets.has(parseS3Uri(request.CheckpointConfig.S3Uri).bucket)) return;
  for (const container of containers) {
    await upload(s3, request.CheckpointConfig.S3Uri, await container.read(path));
  }
}

async function failureReason(host: EngineContainer, exit: Exit): Promise<string> {
  if (exit.isOutOfMemory) return OUT_OF_MEMORY;
  const bytes = await host.readFile("/opt/ml/output/failure");
  const text = new TextDecoder().decode(bytes).slice(0, REASON_LENGTH);
  return text === ""
    ? `AlgorithmError: Exit Code: ${exit.status}`
    : `AlgorithmError: ${text}, exit code: ${exit.status}`;
}

/** Packs a directory of all hosts, if there is something in it. */
async function keep(
  s3: S3Store,
  containers: readonly EngineContainer[],
  path: string,
  address: string,
): Promise<void> {
  const all = new Map<string, Entry>();
  for (const container of containers) {
    for (const entry of await container.read(path)) all.set(entry.name, entry);
  }
  if (all.size === 0) return;
  const { bucket, key } = parseS3Uri(address);
  await s3.put(bucket, key, await gzip(await packed(all.values())));
}

/** `.../output/output.tar.gz` beside `.../output/model.tar.gz`. */
function sibling(artifact: string, name: string): string {
  return artifact.replace(/model(?=\.tar\.gz$)/, name);
}
