/**
 * What the local commands need of others for an image that exists. Its means are loaded only where an app
 * names one: AWS, registries and their logins, package indexes.
 */

import type { Context } from "../../runtime/context.ts";
import type { ImageAccess } from "../../runtime/local/jobs.ts";
import type { ChosenImage } from "./registry_access.ts";

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
