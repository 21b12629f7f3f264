import { buildArgument } from "../runtime/image/build_arguments.ts";
import { jsonText } from "../runtime/text.ts";
import { appCommand } from "./command.ts";
import { options } from "./options/option.ts";
import { appName, dockerTag, outputFormat, progressOptions } from "./options/shared.ts";

const OPTIONS = options({
  ...appName,
  ...dockerTag,
  "--base-image IMAGE": {
    description: "Base image to use instead of base_image in NAME.json",
    top: "base_image",
    traced: true,
    variable: "MLCLI_BASE_IMAGE",
  },
  "--platform PLATFORM": {
    description: "Platform to build for, such as linux/amd64 (default: platform in NAME.json)",
    top: "platform",
    variable: "MLCLI_PLATFORM",
  },
  "--build-arg NAME[=VALUE]...": {
    description:
      "Build argument (ARG) of the Dockerfile (repeatable). Without =VALUE, mlcli copies " +
      "the value from your shell. Don't pass secrets, because the image stores build " +
      "arguments.",
    parse: buildArgument,
  },
  "--target STAGE": {
    rare: true,
    description: "Stage of the Dockerfile to build (default: the last stage)",
  },
  "--context DIR": {
    rare: true,
    description:
      "Build context, which is a directory with your own Dockerfile (default: context in " +
      "NAME.json)",
    top: "context",
    traced: true,
    path: "typed",
  },
  "--dockerfile PATH": {
    description: "Dockerfile to use instead of the Dockerfile in the app or in --context",
    top: "dockerfile",
    traced: true,
    path: "typed",
  },
  "--no-cache": { description: "Build without cached steps" },
  "--no-network-settings": {
    rare: true,
    description: "Don't use this machine's package index, proxies and certificates in the build",
  },
  "--replace": {
    description: "Overwrite an image of the same name that mlcli didn't build for this app",
  },
  "--dry-run": { description: "Print the build plan as JSON, without building the image" },
  ...outputFormat,
  ...progressOptions,
});

export default appCommand({
  options: OPTIONS,
  examples: [
    ["Build app:latest", "mlcli build"],
    ["Build for SageMaker on an arm64 machine", "mlcli build --platform linux/amd64"],
    ["Show which files go into the image", "mlcli build --dry-run"],
    ["Build with your own Dockerfile in docker/", "mlcli build --context docker"],
  ],
  action: async (context, options) => {
    const { build, planBuild } = await import("../runtime/image/build.ts");
    const { app, baseImage } = options;
    const { messages, out } = context;
    if (baseImage?.from === "file" && options.context === undefined) {
      const { ignoredPythonVersion } = await import("../runtime/app/unknown_keys.ts");
      messages.tell(ignoredPythonVersion(app));
    }
    if (options.dryRun) return out.print(jsonText(await planBuild(options, context)));
    const { showBuild } = await import("./render/progress/build.ts");
    const { reference, id, warnings } = await showBuild(
      context,
      app.image,
      (onEvent) => build(options, context, onEvent),
    );
    messages.tell(warnings);
    const result = { image: reference, id: id || null };
    out.print(options.output === "json" ? jsonText(result) : `${reference}\n`);
  },
});
