import { buildArgument } from "../runtime/image/build_arguments.ts";
import { type Command, command } from "./command.ts";
import { options, type Values } from "./options/option.ts";
import { appName, dockerTag, outputFormat, progressOptions } from "./options/shared.ts";

const OPTIONS = options({
  ...appName,
  ...dockerTag,
  "--base-image": {
    value: "image",
    description: "Base image to use instead of base_image in NAME.json",
    variable: "MLCLI_BASE_IMAGE",
  },
  "--platform": {
    value: "platform",
    description: "Platform to build for, such as linux/amd64 (default: platform in NAME.json)",
    variable: "MLCLI_PLATFORM",
  },
  "--build-arg": {
    value: "name[=value]",
    description:
      "Build argument (ARG) of the Dockerfile (repeatable). Without =VALUE, mlcli copies " +
      "the value from your shell. Don't pass secrets, because the image stores build " +
      "arguments.",
    repeatable: true,
    parse: buildArgument,
  },
  "--target": {
    rare: true,
    value: "stage",
    description: "Stage of the Dockerfile to build (default: the last stage)",
  },
  "--context": {
    rare: true,
    value: "dir",
    description:
      "Build context, which is a directory with your own Dockerfile (default: context in " +
      "NAME.json)",
    path: "typed",
  },
  "--dockerfile": {
    value: "path",
    description: "Dockerfile to use instead of the Dockerfile in the app or in --context",
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
  "--dry-run": {
    description: "Print the build plan as JSON, without building the image",
  },
  ...outputFormat,
  ...progressOptions,
});

export type BuildOptions = Values<typeof OPTIONS>;

export const buildCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Build app:latest", "mlcli build"],
    ["Build for SageMaker on an arm64 machine", "mlcli build --platform linux/amd64"],
    ["Show which files go into the image", "mlcli build --dry-run"],
    ["Build with your own Dockerfile in docker/", "mlcli build --context docker"],
  ],
  action: async () => (await import("./build_action.ts")).buildAction,
});
