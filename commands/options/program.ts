/**
 * What a training, a processing job or a server runs: options of both halves, which are keys of the
 * objects `train`, `process` and `deploy` in the app's file, too.
 */

import { parserOf } from "../../runtime/app/configuration.ts";
import { DISTRIBUTIONS, entryPointOf, LAUNCHERS } from "../../runtime/contract/launch.ts";
import { each, options } from "./option.ts";

const ONE_PROGRAM =
  "Use only one: file (a script in processing/), command (a program in the image) or entry " +
  "point (a file of your code)";

/** Option of processing jobs for a script of the app. */
export const scriptOption = options({
  "-f, --file FILE": {
    description: "Script in processing/ to run (requires an image from mlcli build)",
    key: true,
    belongsTo: "--image",
    excludes: ["--command", "--entry-point"],
    hint: ONE_PROGRAM,
    completion: "script",
    path: "inner",
  },
});

/** Of `deploy`: on SageMaker, a server has the image's own entry point, and finds code in its model. */
export const serverProgramOptions = options({
  ...each({ group: "Your app and image", key: true, traced: true }, {
    "--image IMAGE": {
      description: "Existing image to use (default: the app's image)",
      top: "image",
      parse: parserOf("image"),
    },
    "--entry-point FILE": {
      description: "Your script for an AWS inference image, such as inference.py; mlcli adds the " +
        "script to code/ in the model",
      path: "inner",
      parse: entryPointOf,
    },
    "--source-dir DIR": {
      rare: true,
      description: "Directory of your code (default: source_dir in NAME.json, or this directory)",
      top: "source_dir",
      path: "typed",
    },
  }),
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
  "--command WORD...": {
    group: "Your app and image",
    rare: true,
    acceptsLetters: true,
    description:
      "Command to run instead of the image's ENTRYPOINT and your code; repeat the option " +
      "for each word of the command, and put arguments after --",
    key: true,
    belongsTo: "--image",
    excludes: ["--entry-point"],
    hint: ONE_PROGRAM,
  },
});

/** Of `train`. */
export const programOptions = options({
  ...jobProgramOptions,
  ...each({ group: "Your app and image", rare: true, key: true }, {
    "--launcher LAUNCHER": {
      choices: LAUNCHERS,
      description: "Program that starts your code: toolkit (AWS's toolkit in the image), script " +
        "(mlcli) or image (the image's ENTRYPOINT); the default depends on the image",
      top: "launcher",
      traced: true,
      belongsTo: "--image",
    },
    "--distribution NAME": {
      choices: DISTRIBUTIONS,
      description:
        "Program that starts one process for each GPU of a host; only torchrun is supported",
      top: "distribution",
      excludes: ["--command"],
      hint: "Remove one of them: a command can call torchrun itself",
    },
  }),
  "--command": processProgramOptions["--command"],
});
