/**
 * Checks of what pip in a build gets of this machine's network.
 *
 * @module
 */

import type { App } from "../app/app.ts";
import { layoutOf } from "../app/layout.ts";
import type { Context } from "../context.ts";
import { isBuiltByMlcli, type Marks } from "../contract/images.ts";
import { buildNetwork } from "../image/network/build_network.ts";
import type { Check } from "./check.ts";

/**
 * What pip would not get, or could not use. Nothing where all is well: few machines have settings.
 *
 * @param image the app's. One that mlcli did not build is built otherwise.
 */
export async function networkChecks(
  app: App,
  image: Marks | undefined,
  host: Pick<Context, "env" | "system">,
): Promise<readonly Check[]> {
  if (image !== undefined && !isBuiltByMlcli(image)) return [];
  const { warnings } = await buildNetwork(app, layoutOf(app).dockerfile, host);
  return warnings.map((warning) => ({ name: "network", status: "warning", ...warning }));
}
