/**
 * A training on its machines, as AWS's guide has it: "How Amazon SageMaker Runs Your Training
 * Image", "How Amazon SageMaker Provides Training Information".
 *
 * @module
 */

import { REGION } from "../account.ts";
import type { S3Store } from "../s3_store.ts";
import { directory, type Entry, file } from "../engine/archive.ts";
import { download, type Source } from "./channel.ts";
import type { Job } from "./job.ts";
import type { JobPlan } from "./plan.ts";

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

function configuration({ request, hosts }: Job, host: string): readonly Entry[] {
  const group = "homogeneousCluster";
  const type = request.ResourceConfig.InstanceType;
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
      current_instance_type: type,
      current_group_name: group,
      hosts,
      instance_groups: [{ instance_group_name: group, instance_type: type, hosts }],
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
