/**
 * Parts of the body of the Engine's create call that several plans share.
 *
 * @module
 */

import { HOST, STUDIO_HOST } from "../../contract/jobs.ts";
import type { Engine, Mount } from "../../docker/engine.ts";

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
