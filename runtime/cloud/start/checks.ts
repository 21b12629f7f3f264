import { basename } from "@std/path/basename";
import type { App } from "../../app/app.ts";
import type { CloudSectionName } from "../../app/configuration.ts";
import { parseS3Uri, type S3Address, within } from "../../contract/addresses.ts";
import { architectureOf } from "../../contract/instances.ts";
import { isSharded, requireShards } from "../../contract/hosts.ts";
import { CODE_CHANNELS } from "../../contract/launch.ts";
import { MOST_INSTANCE_GROUPS, NETWORK, TAGS } from "../../contract/limits.ts";
import { MlcliError, UsageError } from "../../errors.ts";
import type { Message, Messages } from "../../messages.ts";
import type { Setting } from "../../setting.ts";
import { enumerated } from "../../text.ts";
import type { Place } from "../bucket_owner.ts";
import type { JobRequest, ProgramJobRequest, TrainingRequest } from "./plan.ts";

export type Needed = readonly [flag: `--${string}`, value: unknown];

/**
 * Requires options that the command line or the configuration file must set.
 *
 * @param needed in the order of the message.
 * @throws UsageError that names options and keys, and the local command if the user might mean it.
 */
export function requireGiven(kind: CloudSectionName, app: App, needed: readonly Needed[]): void {
  const missing = needed
    .filter(([, value]) => value === undefined || Array.isArray(value) && value.length === 0)
    .map(([flag]) => flag);
  if (missing.length === 0) return;
  const keys = missing.map((flag) => `"${flag.slice(2).replaceAll("-", "_")}"`);
  const file = basename(app.configurationPath);
  throw new UsageError(
    missing.length === 1
      ? `Missing required option "${missing[0]}"`
      : `Missing required options ${missing.map((flag) => `"${flag}"`).join(", ")}`,
    {
      hint:
        `mlcli ${kind} runs on SageMaker. Set ${missing.length === 1 ? "it" : "them"}, or set ` +
        `${enumerated(keys)} in "${kind}" of ${file}.` +
        (kind === "transform" && missing.includes("--model")
          ? " Instead of --model, you can use the model of a training job (--job) or --endpoint."
          : "") +
        (missing.includes(PLATFORM_OPTION[kind]) ? ` To run locally: mlcli local ${kind}` : ""),
    },
  );
}

/** An option without which the user may mean the local command. */
const PLATFORM_OPTION: Readonly<Record<CloudSectionName, Needed[0]>> = {
  train: "--ec2-type",
  process: "--ec2-type",
  transform: "--ec2-type",
  deploy: "--endpoint-name",
};

/**
 * Returns where results go.
 *
 * @param flag option that sets it.
 * @param named value of that option.
 * @param path below `s3_prefix`, the default.
 * @throws UsageError if neither is set.
 */
export function outputOf(
  app: App,
  flag: `--${string}`,
  named: Setting<S3Address> | undefined,
  path: string,
): Place {
  const place = named ?? belowPrefix(app, path);
  if (place !== undefined) return { ...place, flag };
  const file = basename(app.configurationPath);
  throw new UsageError(`Missing required option "${flag}"`, {
    hint: `Set it, or set "s3_prefix": "s3://BUCKET/PREFIX" in ${file} for all data of the app`,
  });
}

/** Returns an address below the app's `s3_prefix`; `undefined` if the app has none. */
export function belowPrefix(
  { configuration: { s3Prefix }, configurationPath }: App,
  path: string,
): Setting<S3Address> | undefined {
  const prefix = s3Prefix === undefined ? undefined : parseS3Uri(s3Prefix);
  if (prefix === undefined) return undefined;
  const where = `"s3_prefix" in ${basename(configurationPath)}`;
  return { value: within(prefix, path), from: "file", where };
}

/** @throws UsageError for more values than SageMaker accepts. */
export function checkNetworkAndTags(
  { subnet, securityGroup, tags }: Pick<JobRequest, "subnet" | "securityGroup" | "tags">,
): void {
  requireAtMost(subnet.length, NETWORK.subnets, "--subnet");
  requireAtMost(securityGroup.length, NETWORK.securityGroups, "--security-group");
  requireAtMost(Object.keys(tags).length, TAGS.most, "--tag");
}

/** @throws UsageError for an option that is given more often than SageMaker takes it. */
export function requireAtMost(count: number, most: number, flag: string): void {
  if (count <= most) return;
  throw new UsageError(`Option "${flag}" has ${count} values, but SageMaker allows ${most}`, {
    hint: "Remove some values from the command line or the configuration file",
  });
}

/**
 * How long a job may wait and run, in seconds; `undefined` where it does not run on spot instances.
 * @throws UsageError for times that do not go together.
 */
export function maxWaitOf(
  { spot, maxWait, maxRun }: Pick<TrainingRequest, "spot" | "maxWait" | "maxRun">,
): number | undefined {
  if (!spot) return undefined;
  const wait = maxWait ?? maxRun;
  if (wait >= maxRun) return wait;
  throw new UsageError(`Option "--max-wait" (${wait}) is less than "--max-run" (${maxRun})`, {
    hint: `Set --max-wait to ${maxRun} or more, because it includes the run time of the job`,
  });
}

/**
 * @param isSending whether the job has a channel of code.
 * @throws UsageError where two channels have one name, or one has that of code.
 */
export function checkChannelNames(names: readonly string[], isSending: boolean): void {
  const wrong = isSending ? names.find((name) => CODE_CHANNELS.includes(name)) : undefined;
  if (wrong !== undefined) {
    throw new UsageError(`Channel name "${wrong}" is reserved for code`, {
      hint: "Choose another name for the data: --input-s3-dir NAME=s3://...",
    });
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new UsageError(`Two inputs have the name "${twice}"`, {
    hint: "Give each input its own name: --input-s3-dir NAME=s3://... " +
      "Your code finds each input in /opt/ml/input/data/NAME.",
  });
}

/** @throws UsageError for groups of instances that one job cannot have. */
export function checkGroups(
  { instanceGroup: groups, program: { distribution } }: Pick<
    TrainingRequest,
    "instanceGroup" | "program"
  >,
): void {
  requireAtMost(groups.length, MOST_INSTANCE_GROUPS, "--instance-group");
  // Guide, "Run distributed training on a heterogeneous cluster": on one of the groups alone.
  if (groups.length > 1 && distribution !== undefined) {
    throw new UsageError('Option "--distribution" does not support several instance groups', {
      hint: "Use one --instance-group, or start torchrun in your code",
    });
  }
  const first = groups[0]?.type ?? "";
  for (const { name, type } of groups) {
    if (groups.filter((one) => one.name === name).length > 1) {
      throw new UsageError(`Two instance groups have the name "${name}"`, {
        hint: "Give each instance group its own name",
      });
    }
    if (architectureOf(type) === architectureOf(first)) continue;
    throw new UsageError(
      `${first} and ${type} cannot run the same image, because their architectures differ`,
      { hint: "Use instance types of the same architecture, linux/amd64 or linux/arm64" },
    );
  }
}

/**
 * @param names of the job's channels or inputs.
 * @throws UsageError for one to split that the job does not have.
 */
export function checkShards(
  { shard, instanceCount }: Pick<ProgramJobRequest, "shard" | "instanceCount">,
  names: readonly string[],
  messages: Messages,
): void {
  requireShards(shard, names);
  if (instanceCount === 1 && names.some((name) => isSharded(shard, name))) {
    messages.note("--shard has no effect with one instance, which gets all objects");
  }
}

/**
 * @throws MlcliError for settings that SageMaker would reject: the first problem, and the others below it.
 */
export function requireNone(differences: readonly Message[]): void {
  const [first, ...others] = differences;
  if (first === undefined) return;
  throw new MlcliError(first.message, {
    hint: first.hint,
    quote: others.length === 0
      ? undefined
      : others.map(({ message, hint }) => `${message}. ${hint}`).join("\n"),
  });
}
