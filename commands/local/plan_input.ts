/**
 * What the containers of all local commands have in common, out of the options that these share.
 *
 * @module
 */

import { findApp, imageReference } from "../../runtime/app/app.ts";
import { layoutOf } from "../../runtime/app/layout.ts";
import type { Context } from "../../runtime/context.ts";
import type { PlanInput } from "../../runtime/local/plan.ts";
import type { ContainerOptions } from "../options/container.ts";

/** Finds the app and its image. */
export async function planInput(context: Context, options: ContainerOptions): Promise<PlanInput> {
  const app = await findApp(context.cwd, options.appName);
  return {
    app: app.name,
    layout: layoutOf(app),
    image: imageReference(app, options.dockerTag),
    memory: options.memory,
    region: app.configuration.cloudRegion,
    allowPrivileges: options.allowPrivileges,
  };
}
