import { imageReference } from "../runtime/app/app.ts";
import { ignoredPythonVersion } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { build } from "../runtime/image/build.ts";
import { chosenApp } from "./chosen_app.ts";
import type { BuildOptions } from "./build.ts";
import { BuildProgress } from "./render/progress/build.ts";
import { ProgressOutput } from "./render/progress/output.ts";

/** Builds the app's image and prints its name. */
export async function buildAction(context: Context, options: BuildOptions): Promise<void> {
  const app = await chosenApp(context, options.appName);
  const { err, clock } = context;
  using shown = new ProgressOutput(err, options);
  for (
    const { message, hint } of options.baseImage === undefined && options.context === undefined
      ? ignoredPythonVersion(app)
      : []
  ) {
    shown.warning(message, hint);
  }
  const name = imageReference(app, options.dockerTag);
  using progress = new BuildProgress(shown, name, () => clock.now());
  const { reference, warnings } = await build(
    {
      app,
      tag: options.dockerTag,
      baseImage: options.baseImage,
      platform: options.platform,
      noCache: !options.cache,
      buildArguments: options.buildArg,
      target: options.target,
      dockerfile: options.dockerfile,
      context: options.context,
      usesNetworkSettings: options.networkSettings,
      replace: options.replace,
    },
    context,
    progress,
  );
  progress.done();
  for (const { message, hint } of warnings) shown.warning(message, hint);
  context.out.print(`${reference}\n`);
}
