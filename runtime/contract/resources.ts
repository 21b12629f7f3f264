/**
 * What a container may take of the machine that it runs on.
 *
 * @module
 */

import type { Difference } from "./difference.ts";

/** GPUs: all, so many, or those of these numbers or ids. */
export type Gpus = "all" | number | readonly string[];

/** What is asked for; `undefined`: what the engine gives by itself. */
export interface Resources {
  /** Memory limit in bytes; without it there is none. */
  readonly memory: number | undefined;
  /** Processors at most, such as 1.5; without it all. */
  readonly cpus: number | undefined;
  /** Size of `/dev/shm` in bytes; without it mlcli's own default. */
  readonly shmSize: number | undefined;
  /** Without it none. */
  readonly gpus: Gpus | undefined;
  /** `bridge`, `host`, `none`, or the name of a network of the engine. */
  readonly network: string | undefined;
}

/** Networks that are the same on every engine, and the same to the code as on the platform. */
const COMMON_NETWORKS: readonly string[] = ["bridge", "default", "none"];

/** What a network of this machine has that the platform does not. */
export function networkDifferences(network: string | undefined): readonly Difference[] {
  if (network === undefined || COMMON_NETWORKS.includes(network)) return [];
  return [{
    message: network === "host"
      ? "The code is on this machine's own network (--network host), which the platform does not have"
      : `The code is on the network "${network}" of this machine, which the platform does not have`,
    hint:
      "There, code reaches the internet, or, with --subnet and --security-group, what is in a VPC.",
  }];
}
