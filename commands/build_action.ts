import { ignoredPythonVersion } from "../runtime/app/unknown_keys.ts";
import type { Context } from "../runtime/context.ts";
import { build, planBuild } from "../runtime/image/build.ts";
import { printableJson } from "../runtime/text.ts";
import type { BuildValues } from "./build.ts";
import { BuildProgress } from "./render/progress/build.ts";
import { ProgressOutput } from "./render/progress/output.ts";

/** Builds the app's image and prints its name; with --dry-run, what it would be made of. */
export async function buildAction(context: Context, options: BuildValues): Promise<void> {
  const { app, baseImage } = options;
  const { out, err, clock } = context;
  using shown = new ProgressOutput(err, options);
  if (baseImage?.from === "file" && options.context === undefined) {
    for (const { message, hint } of ignoredPythonVersion(app)) shown.warning(message, hint);
  }
  if (options.dryRun) {
    const { plan, warnings, note } = await planBuild(options, context);
    for (const { message, hint } of warnings) shown.warning(message, hint);
    if (note !== undefined) shown.note(note);
    return out.print(`${printableJson(plan, 2)}\n`);
  }
  using progress = new BuildProgress(shown, app.image, () => clock.now());
  const { reference, id, warnings } = await build(options, context, progress);
  progress.done();
  for (const { message, hint } of warnings) shown.warning(message, hint);
  const isJson = options.output === "json";
  out.print(
    isJson ? `${printableJson({ image: reference, id: id || null }, 2)}\n` : `${reference}\n`,
  );
}
