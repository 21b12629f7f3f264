import { imageReference } from "../runtime/app/app.ts";
import { ignoredPythonVersion } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { build, planBuild } from "../runtime/image/build.ts";
import { printableJson } from "../runtime/text.ts";
import { chosenApp } from "./chosen_app.ts";
import type { BuildOptions } from "./build.ts";
import { BuildProgress } from "./render/progress/build.ts";
import { ProgressOutput } from "./render/progress/output.ts";

/** Builds the app's image and prints its name; with --dry-run, what it would be made of. */
export async function buildAction(context: Context, options: BuildOptions): Promise<void> {
  const app = await chosenApp(context, options);
  const { out, err, clock } = context;
  using shown = new ProgressOutput(err, options);
  for (
    const { message, hint } of options.baseImage === undefined && options.context === undefined
      ? ignoredPythonVersion(app)
      : []
  ) {
    shown.warning(message, hint);
  }
  const request = {
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
  };
  if (options.dryRun) {
    const { plan, warnings, note } = await planBuild(request, context);
    for (const { message, hint } of warnings) shown.warning(message, hint);
    if (note !== undefined) shown.note(note);
    return out.print(`${printableJson(plan, 2)}\n`);
  }
  const name = imageReference(app, options.dockerTag);
  using progress = new BuildProgress(shown, name, () => clock.now());
  const { reference, id, warnings } = await build(request, context, progress);
  progress.done();
  for (const { message, hint } of warnings) shown.warning(message, hint);
  const isJson = options.output === "json";
  out.print(
    isJson ? `${printableJson({ image: reference, id: id || null }, 2)}\n` : `${reference}\n`,
  );
}
