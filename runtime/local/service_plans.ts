/**
 * Containers that do not run the user's code, but do work for mlcli itself, as pure data.
 *
 * @module
 */

import { SEPARATOR } from "@std/path/constants";
import type { CreateBody, Mount } from "../docker/engine.ts";
import { MOST_PROCESSES, NO_NEW_PRIVILEGES } from "../serving/plan.ts";
import { NO_LOG, writable } from "./container/body.ts";
import { labels } from "./container/managed.ts";

/** A program called `true` or `chown` in an image may be anything, so it may do little. */
const CONFINED = {
  LogConfig: NO_LOG,
  NetworkMode: "none",
  CapDrop: ["ALL"],
  SecurityOpt: [NO_NEW_PRIVILEGES],
} as const;

/** `-h`: a link itself, never what it points to. */
export type OwnershipCommand =
  | readonly ["chown", "-h" | "-hR", owner: string]
  | readonly ["chmod", mode: string];

/** A container that does nothing, with an init. */
export function initProbePlan(image: string): CreateBody {
  return {
    Image: image,
    Entrypoint: ["true"],
    Cmd: [],
    Labels: labels({}),
    HostConfig: {
      ...CONFINED,
      AutoRemove: false,
      Init: true,
      Mounts: [],
    },
  };
}

/**
 * A container that changes the owner or the mode of what lies at paths below some directories. Whatever
 * these paths lead to meanwhile, it lies in the directories or in the container.
 *
 * @param paths of the host, each in one of the directories, which are mounted.
 * @param command `chown` or `chmod`, with what comes before the paths.
 */
export function ownershipPlan(
  image: string,
  directories: readonly string[],
  paths: readonly string[],
  [program, ...options]: OwnershipCommand,
): CreateBody {
  const mounts = directories.map((directory, index) => writable(directory, `/mlcli/${index}`));
  return {
    Image: image,
    User: "0:0",
    Entrypoint: [program],
    Cmd: [...options, "--", ...paths.map((path) => pathInMounts(path, mounts))],
    Labels: labels({}),
    HostConfig: {
      ...CONFINED,
      AutoRemove: true,
      // FOWNER: to change modes.
      CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
      PidsLimit: MOST_PROCESSES,
      Mounts: mounts,
    },
  };
}

function pathInMounts(path: string, mounts: readonly Mount[]): string {
  for (const { Source, Target } of mounts) {
    if (path === Source) return Target;
    if (path.startsWith(Source + SEPARATOR)) return Target + path.slice(Source.length);
  }
  throw new RangeError(`${path} is in no mount`);
}
