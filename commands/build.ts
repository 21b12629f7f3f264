/**
 * `mlcli build`
 *
 * @module
 */

import { Command } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";
import type { AnyCommand } from "./command.ts";
import { checkTag } from "./options.ts";

interface Options {
  readonly appName?: string;
  readonly dockerTag: string;
  readonly baseImage?: string;
  readonly platform?: string;
  readonly cache: boolean;
}

/** Builds the app's image. */
export function buildCommand(context: Context): AnyCommand {
  return new Command()
    .description("Build the app's image from its Dockerfile.")
    .option(
      "-a, --app-name <name:string:app>",
      "Name of the app. Found by itself when there is one.",
    )
    .option("-t, --docker-tag <tag:string:image-tag>", "Tag of the image.", { default: "latest" })
    .option("--base-image <image:string>", "Image to build upon.")
    .option("--platform <platform:string>", "Platform of the image, such as linux/amd64.")
    .option("--no-cache", "Do every step again.")
    .example("Build app:latest", "mlcli build")
    .example("Build for the platform's processors", "mlcli build --platform linux/amd64")
    .action(async (options: Options) => {
      const tag = checkTag(options.dockerTag);
      const { buildProgress } = await import("./build_progress.ts");
      const { findApp } = await import("../runtime/app/app.ts");
      const { build } = await import("../runtime/image/build.ts");
      const app = await findApp(context.cwd, options.appName);
      using progress = buildProgress(context.err);
      const reference = await build({
        app,
        tag,
        baseImage: options.baseImage,
        platform: options.platform,
        noCache: !options.cache,
        signal: context.interruption.signal,
        engine: context.engine,
        onOutput: progress.onOutput,
        onLeftOut: progress.onLeftOut,
      });
      progress.done();
      context.out.print(`${reference}\n`);
    });
}
