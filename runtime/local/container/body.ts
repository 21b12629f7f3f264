/**
 * Parts of the body of the Engine's create call that several plans share.
 *
 * @module
 */

import { HOST, STUDIO_HOST } from "../../contract/jobs.ts";
import type { Engine, Mount } from "../../docker/engine.ts";

/**
 * Processes and threads of a container, at most: a fork bomb ends there, a data loader with hundreds
 * of workers does not. (SageMaker's instances have the kernel's limit, which is of that size.)
 */
export const MOST_PROCESSES = 32_768;

/** Programs with setuid, and those with capabilities of their own, run without them. */
export const NO_NEW_PRIVILEGES = "no-new-privileges";

/** The engine keeps no log: whoever runs the container reads its output while it runs. */
export const NO_LOG = { Type: "none" } as const;

/** What a container of the engine calls itself. */
export function hostOf({ inStudio }: Pick<Engine, "inStudio">): string {
  return inStudio ? STUDIO_HOST : HOST;
}

/** A mount that the container may only read. */
export function readOnly(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: true };
}

/** A mount that the container may write to. */
export function writable(source: string, target: string): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: false };
}
