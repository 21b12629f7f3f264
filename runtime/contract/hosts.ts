/** The hosts of a job: what they are called, what each is told of them, and its part of the data. */

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

/** What a host is told that has no others beside it, or of these. */
export function clusterOf(
  current: string,
  hosts: readonly string[] = [current],
  groupHosts = hosts,
): Cluster {
  return { current, hosts, groupHosts };
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
