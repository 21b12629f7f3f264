import { buildArgument } from "../runtime/image/build_arguments.ts";
import { type Command, command } from "./command.ts";
import { options, type Values } from "./options/option.ts";
import { appName, dockerTag, outputFormat, progressOptions } from "./options/shared.ts";

const OPTIONS = options({
  ...appName,
  ...dockerTag,
  "--base-image": {
    value: "image",
    description: "Base image, instead of the app's.",
    variable: "MLCLI_BASE_IMAGE",
  },
  "--platform": {
    value: "platform",
    description: "Platform of the image, such as linux/amd64.",
    variable: "MLCLI_PLATFORM",
  },
  "--build-arg": {
    value: "argument",
    description:
      "NAME=VALUE for an ARG of the Dockerfile, or NAME to take its value from your shell. " +
      "Do not pass secrets: the image keeps them. May be repeated.",
    repeatable: true,
    parse: buildArgument,
  },
  "--target": {
    value: "stage",
    description: "Stage of the Dockerfile to build, instead of the last.",
  },
  "--context": {
    value: "dir",
    description:
      "Directory with a Dockerfile of your own; only this directory is sent. Default: context " +
      "in the app's file.",
    path: "typed",
  },
  "--dockerfile": {
    value: "path",
    description: "Dockerfile to use instead of the app's, or that of --context.",
    path: "typed",
  },
  "--no-cache": { description: "Run every step again." },
  "--no-network-settings": {
    description: "Keep this machine's package index, proxies and certificates out of containers.",
  },
  "--replace": {
    description:
      "Replace an image of that name that mlcli did not build, or built for another app.",
  },
  "--dry-run": {
    description: "Print as JSON what would be sent and built, but build nothing; needs no engine.",
  },
  ...outputFormat,
  ...progressOptions,
});

export type BuildOptions = Values<typeof OPTIONS>;

export const buildCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Build app:latest", "mlcli build"],
    ["Build for the processors of SageMaker", "mlcli build --platform linux/amd64"],
    ["See what goes into the image, and what stays out", "mlcli build --dry-run"],
    ["Build a Dockerfile of your own", "mlcli build --context docker"],
  ],
  action: async () => (await import("./build_action.ts")).buildAction,
});
