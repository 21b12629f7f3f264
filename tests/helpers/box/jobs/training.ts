/** A training: what its containers get, and what is kept of them. */

import { gzip } from "../../tar.ts";
import { REGION } from "../account.ts";
import { directory, type Entry, file, packed } from "../engine/archive.ts";
import type { EngineContainer, Exit } from "../engine/container.ts";
import type { S3Store } from "../s3_store.ts";
import { download, type Source, upload } from "./channel.ts";
import type { Cluster, ClusterEnd } from "./cluster.ts";
import type { Job, JobEnd } from "./job.ts";
import { artifactAddress } from "./job_store.ts";
import { type JobPlan, type JobPlatform, parseS3Uri } from "./platform.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** A day, in seconds. */
const DEFAULT_RUNTIME = 86_400;

/** What to run for a training. */
export function trainingPlan(job: Job, s3: S3Store): JobPlan {
  const { request } = job;
  const { ContainerEntrypoint, ContainerArguments } = request.AlgorithmSpecification;
  const checkpoints = checkpointPath(request);
  return {
    entrypoint: ContainerEntrypoint,
    command: ContainerEntrypoint ? ContainerArguments ?? [] : ContainerArguments ?? ["train"],
    variables: {
      TRAINING_JOB_NAME: job.name,
      TRAINING_JOB_ARN: job.arn,
      AWS_REGION: REGION,
      ...request.Environment,
    },
    volumes: [
      "/opt/ml/input",
      "/opt/ml/model",
      "/opt/ml/output",
      ...(checkpoints === undefined ? [] : [checkpoints]),
    ],
    entries: (host) => trainingEntries(job, s3, host),
    isIsolated: request.EnableNetworkIsolation === true,
    maxRuntime: request.StoppingCondition.MaxRuntimeInSeconds ?? DEFAULT_RUNTIME,
  };
}

/** Where the code keeps its checkpoints, if they are kept. */
export function checkpointPath({ CheckpointConfig }: Request): string | undefined {
  if (!CheckpointConfig) return undefined;
  return (CheckpointConfig.LocalPath ?? "/opt/ml/checkpoints").replace(/\/+$/, "");
}

async function trainingEntries(job: Job, s3: S3Store, host: number): Promise<readonly Entry[]> {
  const { request, hosts } = job;
  const entries: Entry[] = [
    directory("opt/ml/input/data"),
    directory("opt/ml/output/data"),
    ...configuration(job, hosts[host]!),
  ];
  for (const { ChannelName, DataSource } of request.InputDataConfig ?? []) {
    const path = `opt/ml/input/data/${ChannelName}`;
    const { S3Uri, S3DataDistributionType } = DataSource.S3DataSource;
    const source: Source = {
      uri: S3Uri,
      isSharded: S3DataDistributionType === "ShardedByS3Key",
    };
    entries.push(directory(path));
    entries.push(
      ...await download(s3, source, { directory: path, host, hosts: hosts.length }),
    );
  }
  const checkpoints = checkpointPath(request);
  if (checkpoints !== undefined) {
    const source: Source = { uri: request.CheckpointConfig.S3Uri, isSharded: false };
    const path = checkpoints.slice(1);
    entries.push(...await download(s3, source, { directory: path, host, hosts: hosts.length }));
  }
  return entries;
}

function configuration({ request, hosts, groups }: Job, host: string): readonly Entry[] {
  const group = groups.find(({ hosts }) => hosts.includes(host))!;
  const json = (name: string, value: unknown): Entry =>
    file(`opt/ml/input/config/${name}.json`, JSON.stringify(value));
  return [
    json("hyperparameters", request.HyperParameters ?? {}),
    json(
      "inputdataconfig",
      Object.fromEntries(
        (request.InputDataConfig ?? []).map((one: Request) => [one.ChannelName, channelOf(one)]),
      ),
    ),
    json("resourceconfig", {
      current_host: host,
      current_instance_type: group.instance_type,
      current_group_name: group.instance_group_name,
      hosts,
      instance_groups: groups,
      network_interface_name: "eth0",
    }),
  ];
}

function channelOf({ DataSource, ContentType, RecordWrapperType, InputMode }: Request): unknown {
  return {
    ...(ContentType === undefined ? {} : { ContentType }),
    TrainingInputMode: InputMode ?? "File",
    S3DistributionType: DataSource.S3DataSource.S3DataDistributionType ?? "FullyReplicated",
    RecordWrapperType: RecordWrapperType ?? "None",
  };
}

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
