/**
 * What is kept of a processing: its outputs and its message.
 *
 * @module
 */

import { upload } from "./channel.ts";
import type { Cluster, ClusterEnd } from "./cluster.ts";
import type { Job, JobEnd } from "./job.ts";
import { type JobPlatform, parseS3Uri } from "./platform.ts";
import { outputsOf } from "./processing_plan.ts";
import { OUT_OF_MEMORY } from "./training_end.ts";

/** Bytes of the message that are told. */
const MESSAGE_LENGTH = 1_024;

/** Uploads what is kept, and says how the job ended. */
export async function finishProcessing(
  job: Job,
  { containers }: Cluster,
  { cause, host, exit }: ClusterEnd,
  { s3 }: JobPlatform,
): Promise<JobEnd> {
  const message = await host.readFile("/opt/ml/output/message");
  const text = new TextDecoder().decode(message?.subarray(0, MESSAGE_LENGTH));
  const exitMessage = text === "" ? undefined : text;
  if (cause !== "exited") return { status: "Stopped", exitMessage };
  if (exit.status !== 0) {
    const reason = exit.isOutOfMemory
      ? OUT_OF_MEMORY
      : "AlgorithmError: See job logs for more information";
    return { status: "Failed", reason, exitMessage };
  }
  for (const { path, uri } of outputsOf(job.request)) {
    if (!s3.buckets.has(parseS3Uri(uri).bucket)) {
      const reason = "ClientError: Artifact upload failed:The specified bucket does not exist";
      return { status: "Failed", reason, exitMessage };
    }
    for (const container of containers) await upload(s3, uri, await container.read(path));
  }
  return { status: "Completed", exitMessage };
}
