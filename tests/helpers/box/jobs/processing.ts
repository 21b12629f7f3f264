/** A processing: what its containers get, and what is kept of them. */

import { REGION } from "../account.ts";
import { directory, type Entry, file } from "../engine/archive.ts";
import type { EngineContainer } from "../engine/container.ts";
import type { S3Store } from "../s3_store.ts";
import { download, upload } from "./channel.ts";
import type { Cluster, ClusterEnd } from "./cluster.ts";
import type { Job, JobEnd } from "./job.ts";
import { type JobPlan, type JobPlatform, parseS3Uri } from "./platform.ts";
import { OUT_OF_MEMORY } from "./training.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** A day, in seconds. */
const DEFAULT_RUNTIME = 86_400;

/** An output of a processing. */
export interface Output {
  /** In the container. */
  readonly path: string;
  readonly uri: string;
}

/** What to run for a processing. */
export function processingPlan(job: Job, s3: S3Store): JobPlan {
  const { request } = job;
  const { ContainerEntrypoint, ContainerArguments } = request.AppSpecification;
  return {
    entrypoint: ContainerEntrypoint,
    command: ContainerArguments,
    variables: { AWS_REGION: REGION, ...request.Environment },
    volumes: ["/opt/ml/config", "/opt/ml/processing", "/opt/ml/output"],
    entries: (host) => processingEntries(job, s3, host),
    isIsolated: request.NetworkConfig?.EnableNetworkIsolation === true,
    maxRuntime: request.StoppingCondition?.MaxRuntimeInSeconds ?? DEFAULT_RUNTIME,
  };
}

/** What is uploaded at the end. */
export function outputsOf({ ProcessingOutputConfig }: Request): readonly Output[] {
  return (ProcessingOutputConfig?.Outputs ?? []).flatMap(({ OutputName, S3Output }: Request) =>
    S3Output
      ? {
        path: (S3Output.LocalPath ?? `/opt/ml/processing/output/${OutputName}`).replace(/\/+$/, ""),
        uri: S3Output.S3Uri,
      }
      : []
  );
}

async function processingEntries(job: Job, s3: S3Store, host: number): Promise<readonly Entry[]> {
  const { request, hosts } = job;
  const entries: Entry[] = [
    file("opt/ml/config/processingjobconfig.json", JSON.stringify(configuration(job))),
    file(
      "opt/ml/config/resourceconfig.json",
      JSON.stringify({ current_host: hosts[host], hosts }),
    ),
  ];
  for (const { InputName, S3Input } of request.ProcessingInputs ?? []) {
    const path = (S3Input.LocalPath ?? `/opt/ml/processing/input/${InputName}`)
      .replace(/^\/+|\/+$/g, "");
    const source = {
      uri: S3Input.S3Uri,
      isSharded: S3Input.S3DataDistributionType === "ShardedByS3Key",
    };
    entries.push(directory(path));
    entries.push(...await download(s3, source, { directory: path, host, hosts: hosts.length }));
  }
  for (const { path } of outputsOf(request)) entries.push(directory(path.slice(1)));
  return entries;
}

/** The request, with the names that SageMaker gives. */
function configuration({ arn, request }: Job): unknown {
  const { Tags: _tags, ...rest } = request;
  return { ProcessingJobArn: arn, ...rest };
}

/** Characters of the messages that are told. */
const MESSAGE_LENGTH = 1_024;

/** The messages of all hosts, in their order. */
async function messageOf(containers: readonly EngineContainer[]): Promise<string | undefined> {
  const texts: string[] = [];
  for (const container of containers) {
    const message = await container.readFile("/opt/ml/output/message");
    if (message?.length) texts.push(new TextDecoder().decode(message));
  }
  return texts.length === 0 ? undefined : texts.join("\n").slice(0, MESSAGE_LENGTH);
}

/** Uploads what is kept, and says how the job ended. */
export async function finishProcessing(
  job: Job,
  { containers }: Cluster,
  { cause, exit }: ClusterEnd,
  { s3 }: JobPlatform,
): Promise<JobEnd> {
  const exitMessage = await messageOf(containers);
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
