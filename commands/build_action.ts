/**
 * What `mlcli build` does.
 *
 * @module
 */

import type { Context } from "../runtime/context.ts";
import { build } from "../runtime/image/build.ts";
import { warningText } from "../runtime/text.ts";
import { chosenApp } from "./chosen_app.ts";
import type { BuildOptions } from "./build.ts";
import { buildProgress } from "./render/progress/build.ts";

/** Builds the app's image and prints its name. */
export async function buildAction(context: Context, options: BuildOptions): Promise<void> {
  const app = await chosenApp(context, options.appName);
  using progress = buildProgress(context.err);
  const { reference, warning } = await build(
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
  if (warning) context.err.print(warningText(warning.message, warning.hint));
  context.out.print(`${reference}\n`);
}
