/**
 * Access that local commands need for an existing image. Code for AWS, registries, logins and package indexes
 * is loaded only if an app names an image.
 */

import { defaultPlatform } from "../../runtime/docker/default_platform.ts";
import type { App } from "../../runtime/app/app.ts";
import type { Context } from "../../runtime/context.ts";
import type { Host, ImageAccess } from "../../runtime/local/jobs.ts";
import { WaitingProgress } from "../render/progress/waiting.ts";
import type { ChosenImage } from "./registry_access.ts";

/** Returns the context for a run, in whose container pip can install packages. */
export function runHost(context: Context, app: App): Context & Required<Host> {
  const { messages, clock } = context;
  return {
    ...context,
    // The end of a run matters even if the reader of standard error has exited.
    waiting: new WaitingProgress({ messages: messages.ignoringFailures(), clock }, true),
    pipNetwork: async () => {
      const { pipNetworkOf } = await import("./registry_access.ts");
      return await pipNetworkOf(app, context);
    },
  };
}

export function imageAccess(context: Context, chosen: ChosenImage): ImageAccess {
  return {
    requireTrusted: async () => {
      const { requireTrustedHere } = await import("./registry_access.ts");
      return await requireTrustedHere(context, chosen);
    },
    login: async (registry) => {
      const { loginFor } = await import("./registry_access.ts");
      return await loginFor(registry, chosen.app, context);
    },
    defaultPlatform: () => defaultPlatform(context.env),
  };
}
