/**
 * `mlcli build`
 *
 * @module
 */

import { type Command, command } from "./command.ts";
import { appName, dockerTag } from "./options/app.ts";
import { options, type Values } from "./options/option.ts";
import { progressOptions } from "./options/progress.ts";

const OPTIONS = options({
  ...appName,
  ...dockerTag,
  "--base-image": { value: "image", description: "Image to build upon." },
  "--platform": {
    value: "platform",
    description: "Platform of the image, such as linux/amd64.",
  },
  "--no-cache": { description: "Do every step again." },
  "--replace": { description: "Take the name of an image that mlcli did not build." },
  ...progressOptions,
});

/** Options of `build`. */
export type BuildOptions = Values<typeof OPTIONS>;

/** Builds the app's image. */
export const buildCommand: Command = command({
  options: OPTIONS,
  examples: [
    ["Build app:latest", "mlcli build"],
    ["Build for the platform's processors", "mlcli build --platform linux/amd64"],
  ],
  action: async () => (await import("./build_action.ts")).buildAction,
});
