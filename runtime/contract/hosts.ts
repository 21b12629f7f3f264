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

/** Names of channels, or inputs, of which each host gets a part of the files; all of them. */
export type Shards = readonly string[] | "all";

export function isSharded(shards: Shards, name: string): boolean {
  return shards === "all" || shards.includes(name);
}

/** `S3DataDistributionType`: how data comes to the hosts. */
export function distributionOf(isSharded = false): "ShardedByS3Key" | "FullyReplicated" {
  return isSharded ? "ShardedByS3Key" : "FullyReplicated";
}

/**
 * @param names of what the job reads.
 * @throws UsageError for data to share out that the job does not have.
 */
export function requireShards(shards: Shards, names: readonly string[]): void {
  const unknown = shards === "all" ? undefined : shards.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`Cannot shard "${inOneLine(unknown)}": the job has no input of that name`, {
    hint: names.length === 0 ? "Omit --shard: the job reads no data" : `Use ${alternatives(names)}`,
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
