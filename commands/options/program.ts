/**
 * What a training, a processing job or a server runs: options of both halves, which are keys of the
 * objects `train`, `process` and `deploy` in the app's file, too.
 */

import { IMAGE_REFERENCE } from "../../runtime/app/configuration.ts";
import { DISTRIBUTIONS, entryPointOf, LAUNCHERS } from "../../runtime/contract/launch.ts";
import { UsageError } from "../../runtime/errors.ts";
import { options } from "./option.ts";

/** Whether there is such an image, the registry says. */
export function parseImage(text: string, source: string): string {
  if (IMAGE_REFERENCE.test(text)) return text;
  throw new UsageError(`${source} must be an image name, such as python:3.12, but got "${text}"`);
}

/** Of `deploy`: on SageMaker, a server has the image's own entry point, and finds code in its model. */
export const serverProgramOptions = options({
  "--image": {
    group: "Your app and image",
    value: "image",
    description: "Existing image to use (default: the app's image)",
    key: true,
    parse: parseImage,
  },
  "--entry-point": {
    group: "Your app and image",
    value: "file",
    description: "Your script for an AWS inference image, such as inference.py; mlcli adds the " +
      "script to code/ in the model",
    key: true,
    path: "inner",
    parse: entryPointOf,
  },
  "--source-dir": {
    group: "Your app and image",
    rare: true,
    value: "dir",
    description: "Directory of your code (default: source_dir in NAME.json, or this directory)",
    key: true,
    path: "typed",
  },
});

/** Of jobs: their code runs in the image. */
const jobProgramOptions = options({
  ...serverProgramOptions,
  "--entry-point": {
    ...serverProgramOptions["--entry-point"],
    description: "Your script to run in the image, such as train.py",
  },
});

/** Of local commands whose code may ask for packages when it starts. */
export const pipOptions = options({
  "--no-network-settings": {
    group: "Container",
    rare: true,
    description:
      "Don't use this machine's package index, proxies and certificates in the container",
  },
});

/** Of `process`, where mlcli's start script runs an entry point. */
export const processProgramOptions = options({
  ...jobProgramOptions,
  "--command": {
    group: "Your app and image",
    rare: true,
    value: "word",
    acceptsLetters: true,
    description:
      "Command to run instead of the image's ENTRYPOINT and your code; repeat the option " +
      "for each word of the command, and put arguments after --",
    repeatable: true,
    key: true,
  },
});

/** Of `train`. */
export const programOptions = options({
  ...jobProgramOptions,
  "--launcher": {
    group: "Your app and image",
    rare: true,
    value: "launcher",
    choices: LAUNCHERS,
    description: "Program that starts your code: toolkit (AWS's toolkit in the image), script " +
      "(mlcli) or image (the image's ENTRYPOINT); the default depends on the image",
    key: true,
  },
  "--distribution": {
    group: "Your app and image",
    rare: true,
    value: "name",
    choices: DISTRIBUTIONS,
    description:
      "Program that starts one process for each GPU of a host; only torchrun is supported",
    key: true,
  },
  "--command": processProgramOptions["--command"],
});
