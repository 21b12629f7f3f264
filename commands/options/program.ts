/** What a training runs: the options of both halves, which are keys of `train` in the app's file, too. */

import { IMAGE_REFERENCE } from "../../runtime/app/configuration.ts";
import { entryPointOf, LAUNCHERS } from "../../runtime/contract/launch.ts";
import { UsageError } from "../../runtime/errors.ts";
import { options } from "./option.ts";

/** Whether there is such an image, the registry says. */
export function parseImage(text: string, source: string): string {
  if (IMAGE_REFERENCE.test(text)) return text;
  throw new UsageError(`${source} must be the name of an image, but got "${text}".`);
}

export const programOptions = options({
  "--image": {
    value: "image",
    description: "Image that exists, instead of the app's own.",
    key: true,
    parse: parseImage,
  },
  "--entry-point": {
    value: "file",
    description: "Program of your code to run in it, such as train.py.",
    key: true,
    parse: entryPointOf,
  },
  "--source-dir": {
    value: "dir",
    description: "Directory of that code. Default: source_dir, or this directory.",
    key: true,
  },
  "--launcher": {
    value: "launcher",
    choices: LAUNCHERS,
    description: "What runs it: toolkit (AWS's, in the image), script (mlcli's), or image. " +
      "Default: what the image holds.",
    key: true,
  },
  "--command": {
    value: "word",
    description:
      "Run this program of the image instead of its ENTRYPOINT, without your code; its " +
      "arguments follow --. Repeated for more words.",
    repeatable: true,
    key: true,
  },
});
