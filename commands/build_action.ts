/**
 * What `mlcli build` does.
 *
 * @module
 */

import { tell } from "../runtime/message.ts";
import type { Context } from "../runtime/context.ts";
import { build, type BuildReport } from "../runtime/image/build.ts";
import { enumerated, noteText, warningText } from "../runtime/text.ts";
import { chosenApp } from "./chosen_app.ts";
import type { BuildOptions } from "./build.ts";
import { buildProgress } from "./render/build_progress.ts";

/** What is worth to be said about the network settings that pip gets. */
function networkText({ warnings, secret }: Parameters<BuildReport["onNetwork"]>[0]): string {
  const note = secret.length === 0 ? "" : noteText(
    `The password or token in ${enumerated(secret)} goes to the steps of this build, and into no ` +
      "layer; --no-network-settings keeps it here",
  );
  return warnings.map(({ message, hint }) => warningText(message, hint)).join("") + note;
}

/** Builds the app's image and prints its name. */
export async function buildAction(context: Context, options: BuildOptions): Promise<void> {
  const app = await chosenApp(context, options.appName);
  using progress = buildProgress(context.err);
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
      handsNetwork: options.networkSettings,
      replace: options.replace,
    },
    context,
    { ...progress, onNetwork: (network) => context.err.print(networkText(network)) },
  );
  progress.done();
  for (const { message, hint } of warnings) tell(context.err, warningText(message, hint));
  context.out.print(`${reference}\n`);
}
