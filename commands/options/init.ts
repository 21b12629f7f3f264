/** The options of `mlcli init`. */

import {
  type ConfigurationKey,
  DEFAULT_PYTHON_VERSION,
  parserOf,
} from "../../runtime/app/configuration.ts";
import { bytesIn } from "../../runtime/quantities.ts";
import { options, optionsOf, propertyName, type Values } from "./option.ts";
import { parsed } from "./parsers.ts";
import { programOptions } from "./program.ts";
import { cloudOptions } from "./shared.ts";

const parseBytes = parsed(bytesIn, "a size like 100MB or 2GB");

/** Sets a key at the top level of the configuration file. */
function fromKey<const Key extends ConfigurationKey>(key: Key) {
  return { top: key, parse: parserOf(key) };
}

/** `init` writes the configuration file instead of reading it. */
const WRITTEN = { key: undefined, traced: undefined } as const;

export const INIT_OPTIONS = options({
  "[name]": {},
  "--from DIR|KIND/NAME": {
    excludes: [
      ...[
        "--python-version",
        "--requirements",
        "--base-image",
        "--image",
        "--entry-point",
      ] as const,
      ...["--source-dir", "--launcher", "--image-name", "--platform"] as const,
    ],
    description: "Convert a project of another tool in DIR, or a SageMaker resource: " +
      "training-job/NAME, processing-job/NAME, endpoint/NAME or model/NAME",
    path: "typed",
  },
  "--data SIZE": {
    description: "Download up to SIZE of each input channel of the --from job, such as 100MB " +
      "(default: none)",
    onlyWith: "--from",
    parse: parseBytes,
  },
  "--python-version VERSION": {
    ...fromKey("python_version"),
    description: `Python version of the image (default: ${DEFAULT_PYTHON_VERSION})`,
  },
  "--requirements PATH": {
    ...fromKey("requirements"),
    description: "Requirements file in this directory (default: requirements.txt)",
    path: "inner",
  },
  "--base-image IMAGE": {
    ...fromKey("base_image"),
    excludes: ["--python-version"],
    hint: "Remove one of them: the base image has its own Python",
    description: "Base image (default: the official Python image)",
  },
  "--image": {
    ...programOptions["--image"],
    ...WRITTEN,
    description: "Use an existing image, such as one from AWS, instead of building one",
    excludes: ["--base-image", "--python-version", "--requirements", "--image-name"],
    hint: "Remove one of them: mlcli does not build an existing image",
  },
  "--entry-point": {
    ...programOptions["--entry-point"],
    ...WRITTEN,
    excludes: undefined,
    onlyWith: "--image",
  },
  "--source-dir": {
    ...programOptions["--source-dir"],
    ...WRITTEN,
    description: "Directory of your code (default: this directory)",
    onlyWith: "--image",
  },
  "--launcher": { ...programOptions["--launcher"], ...WRITTEN, onlyWith: "--image" },
  "--image-name NAME": {
    ...fromKey("image_name"),
    description: "Name of the image (default: the app's name)",
  },
  "--platform PLATFORM": {
    ...fromKey("platform"),
    description: "Platform of the image (default on arm64 machines: linux/amd64)",
  },
  "--region": {
    ...cloudOptions["--region"],
    ...fromKey("cloud_region"),
    description: "AWS region for commands on SageMaker",
  },
  "--profile": {
    ...cloudOptions["--profile"],
    ...fromKey("cloud_profile"),
    description: "AWS profile for commands on SageMaker",
  },
  "--iam-role-arn": { ...cloudOptions["--iam-role-arn"], onlyWith: "--from" },
  "-y, --yes": {
    description: "Use the default values without asking, such as the directory's name for the app",
  },
  "--dry-run": { description: "Print the files that would be created, without creating them" },
});

export type InitOptions = Values<typeof INIT_OPTIONS>;

/** The options that `--from` excludes. */
export const FROM_EXCLUDES = INIT_OPTIONS["--from"].excludes;

/** The options that set a key at the top level of the configuration file. */
export const KEY_OPTIONS = optionsOf(INIT_OPTIONS).flatMap(([flag, { top }]) =>
  top === undefined ? [] : [{ flag, key: top, name: propertyName(flag) as keyof InitOptions }]
);
