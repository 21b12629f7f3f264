/**
 * From the options that the local commands share to what their containers have in common.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import type { LocalJob } from "../../runtime/local/jobs.ts";
import { checkTag, parseMemory } from "../options.ts";

/** Options of every local command that creates a container. */
export interface ContainerOptions {
  /** Of the `local` group. */
  readonly dockerTag: string;
  readonly appName?: string;
  readonly memory?: string;
  readonly allowPrivileges?: boolean;
}

/** Finds the app. */
export async function localJob(context: Context, options: ContainerOptions): Promise<LocalJob> {
  const tag = checkTag(options.dockerTag);
  const memory = options.memory === undefined ? undefined : parseMemory(options.memory);
  const { findApp } = await import("../../runtime/app/app.ts");
  return {
    app: await findApp(context.cwd, options.appName),
    tag,
    memory,
    allowPrivileges: options.allowPrivileges ?? false,
  };
}
