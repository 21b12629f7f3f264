/** The hosts of a job: what they are called, what each is told of them, and its part of the data. */

import { UsageError } from "../errors.ts";
import { alternatives, inOneLine } from "../text.ts";

/** The hosts in the order of their names as text, as SageMaker sorts them: algo-10 before algo-2. */
export function hostNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `algo-${index + 1}`).sort();
}

/** What `resourceconfig.json` tells a host of all hosts. */
export interface Cluster {
  /** Its own name. */
  readonly current: string;
  readonly hosts: readonly string[];
  /** The same names in the order in which the group of instances has them, which may be any. */
  readonly groupHosts: readonly string[];
}

/** Stands for all channels, or inputs, among the names of those that are split between the hosts. */
const ALL = "all";

/** Returns whether the files of an input are split between the hosts. @param shards names, or `all`. */
export function isSharded(shards: readonly string[], name: string): boolean {
  return shards.includes(ALL) || shards.includes(name);
}

/** `S3DataDistributionType`: how data comes to the hosts. */
export function distributionOf(isSharded = false): "ShardedByS3Key" | "FullyReplicated" {
  return isSharded ? "ShardedByS3Key" : "FullyReplicated";
}

/**
 * Requires inputs to split between the hosts.
 *
 * @param names of all inputs of the job.
 * @throws UsageError for a name that no input has.
 */
export function requireShards(shards: readonly string[], names: readonly string[]): void {
  if (shards.length > 0 && names.length === 0) {
    throw new UsageError('Option "--shard" has no effect: the job has no input', {
      hint: "Add an input, or remove --shard",
    });
  }
  const unknown = shards.find((name) => name !== ALL && !names.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`Cannot shard "${inOneLine(unknown)}": the job has no input of that name`, {
    hint: `Use ${alternatives([...names, ALL])}`,
  });
}

/**
 * The keys that a host gets of a channel that is distributed (`ShardedByS3Key`): one of them, and then
 * each that follows so many after it. (AWS says only that each host gets about as many.)
 *
 * @param keys in S3's order.
 * @param index the host's, from 0.
 */
export function shardOf<T>(keys: readonly T[], hosts: number, index: number): readonly T[] {
  return keys.filter((_, position) => position % hosts === index);
}
