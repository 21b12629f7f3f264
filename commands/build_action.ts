/**
 * What `mlcli build` does.
 *
 * @module
 */

import { versionDoubts } from "../runtime/app/sections.ts";
import { tell } from "../runtime/message.ts";
import type { Context } from "../runtime/context.ts";
import { build } from "../runtime/image/build.ts";
import { warningText } from "../runtime/text.ts";
import { chosenApp } from "./chosen_app.ts";
import type { BuildOptions } from "./build.ts";
import { buildProgress } from "./render/build_progress.ts";

/** Builds the app's image and prints its name. */
export async function buildAction(context: Context, options: BuildOptions): Promise<void> {
  const app = await chosenApp(context, options.appName);
  for (const { message, hint } of options.baseImage === undefined ? versionDoubts(app) : []) {
    tell(context.err, warningText(message, hint));
  }
  using progress = buildProgress(context.err);
  const { reference, warnings } = await build(
    {
      app,
      tag: options.dockerTag,
      baseImage: options.baseImage,
      platform: options.platform,
      noCache: !options.cache,
      replace: options.replace,
    },
    context,
    progress,
  );
  progress.done();
  for (const { message, hint } of warnings) tell(context.err, warningText(message, hint));
  context.out.print(`${reference}\n`);
}
