import { DEFAULT_PYTHON_VERSION } from "../runtime/app/configuration.ts";
import { UsageError } from "../runtime/errors.ts";
import { bytesIn } from "../runtime/quantities.ts";
import { type Command, command } from "./command.ts";
import { options, type Values } from "./options/option.ts";
import { programOptions } from "./options/program.ts";
import { cloudOptions } from "./options/shared.ts";

/** A size such as `100MB`, in bytes. */
function parseBytes(text: string, source: string): number {
  const bytes = bytesIn(text);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`${source} must be a size like 100MB or 2GB, but got "${text}"`);
}

const OPTIONS = options({
  "[name]": {},
  "--from": {
    value: "dir|kind/name",
    description: "Convert a project of another tool in DIR, or a SageMaker resource: " +
      "training-job/NAME, processing-job/NAME, endpoint/NAME or model/NAME",
    path: "typed",
  },
  "--data": {
    value: "size",
    description: "Download up to SIZE of each input channel of the --from job, such as 100MB " +
      "(default: none)",
    onlyWith: "--from",
    parse: parseBytes,
  },
  "--python-version": {
    value: "version",
    description: `Python version of the image (default: ${DEFAULT_PYTHON_VERSION})`,
  },
  "--requirements": {
    value: "path",
    description: "Requirements file in this directory (default: requirements.txt)",
    path: "inner",
  },
  "--base-image": {
    value: "image",
    description: "Base image (default: the official Python image)",
  },
  "--image": {
    ...programOptions["--image"],
    description: "Use an existing image, such as one from AWS, instead of building one",
  },
  "--entry-point": programOptions["--entry-point"],
  "--source-dir": {
    ...programOptions["--source-dir"],
    description: "Directory of your code (default: this directory)",
  },
  "--launcher": programOptions["--launcher"],
  "--image-name": { value: "name", description: "Name of the image (default: the app's name)" },
  "--platform": {
    value: "platform",
    description: "Platform of the image (default on arm64 machines: linux/amd64)",
  },
  "--region": {
    ...cloudOptions["--region"],
    description: "AWS region for commands on SageMaker",
  },
  "--profile": {
    ...cloudOptions["--profile"],
    description: "AWS profile for commands on SageMaker",
  },
  "--iam-role-arn": { ...cloudOptions["--iam-role-arn"], onlyWith: "--from" },
  "--yes": {
    short: "-y",
    description: "Use the default values without asking, such as the directory's name for the app",
  },
  "--dry-run": { description: "Print the files that would be created, without creating them" },
});

export type InitOptions = Values<typeof OPTIONS>;

export type InitFlag = keyof typeof OPTIONS & `--${string}`;

export const initCommand: Command = command({
  details: "mlcli init does not overwrite files. On a terminal, mlcli asks for the app's name.",
  options: OPTIONS,
  examples: [
    ["Create the app flats", "mlcli init flats"],
    ["Create an app named after this directory", "mlcli init --yes"],
    [
      "Run a SageMaker training job locally",
      "mlcli init --from training-job/flats-9 --data 100MB && mlcli local train",
    ],
    ["Choose another Python version", "mlcli init flats --python-version 3.11"],
    [
      "Run your own script in an existing image",
      "mlcli init --image team/torch:2 --source-dir src --entry-point train.py",
    ],
  ],
  action: async () => (await import("./init_action.ts")).initAction,
});
