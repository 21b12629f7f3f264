/**
 * What the local commands need of others for an image that exists. Its means are loaded only where an app
 * names one: AWS, registries and their logins, package indexes.
 */

import type { App } from "../../runtime/app/app.ts";
import type { Context } from "../../runtime/context.ts";
import type { ImageAccess, PipNetwork } from "../../runtime/local/jobs.ts";
import type { ChosenImage } from "./registry_access.ts";

/** What pip gets of this machine's network, once it is asked for. */
export function pipNetworkHere(app: App, context: Context): () => Promise<PipNetwork> {
  return async () => {
    const { pipNetworkOf } = await import("./registry_access.ts");
    return await pipNetworkOf(app, context);
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
  };
}
