/**
 * From the options that the local commands share to what their containers have in common.
 *
 * @module
 */

import type { PlanInput } from "../../runtime/local/plan.ts";
import type { Context } from "../../runtime/context.ts";
import { checkTag, parseMemory } from "../options.ts";

/** Options of every local command that creates a container. */
export interface ContainerOptions {
  /** Of the `local` group. */
  readonly dockerTag: string;
  readonly appName?: string;
  readonly memory?: string;
  readonly allowPrivileges?: boolean;
}

/** Finds the app and its image. */
export async function planInput(context: Context, options: ContainerOptions): Promise<PlanInput> {
  const tag = checkTag(options.dockerTag);
  const memory = options.memory === undefined ? undefined : parseMemory(options.memory);
  const { findApp, imageReference } = await import("../../runtime/app/app.ts");
  const { layoutOf } = await import("../../runtime/app/layout.ts");
  const app = await findApp(context.cwd, options.appName);
  return {
    app: app.name,
    layout: layoutOf(app),
    image: imageReference(app, tag),
    memory,
    region: app.configuration.cloudRegion,
    allowPrivileges: options.allowPrivileges ?? false,
  };
}
