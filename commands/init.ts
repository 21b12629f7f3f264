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
  throw new UsageError(`${source} must be a size like 100MB or 2GB, but got "${text}".`);
}

const OPTIONS = options({
  "[name]": {},
  "--from": {
    value: "origin",
    description: "Make the app of a project of another tool (DIR), or of training-job/NAME, " +
      "processing-job/NAME, endpoint/NAME or model/NAME on SageMaker.",
    path: "typed",
  },
  "--data": {
    value: "size",
    description: "Fetch so much of each channel of the job, such as 100MB. Default: nothing.",
    onlyWith: "--from",
    parse: parseBytes,
  },
  "--python-version": {
    value: "version",
    description: "Python version of the image, such as 3.12.",
  },
  "--requirements": {
    value: "path",
    description: "Requirements file, relative to this directory.",
    path: "inner",
  },
  "--base-image": {
    value: "image",
    description: "Base image, instead of the official Python.",
  },
  "--image": {
    ...programOptions["--image"],
    description: "Existing image, such as one of AWS's; mlcli then builds none.",
  },
  "--entry-point": programOptions["--entry-point"],
  "--source-dir": {
    ...programOptions["--source-dir"],
    description: "Directory of your code. Default: this one.",
  },
  "--launcher": programOptions["--launcher"],
  "--image-name": { value: "name", description: "Name of the image. Default: the app's name." },
  "--platform": {
    value: "platform",
    description: "Platform of the image, such as linux/amd64.",
  },
  "--region": {
    ...cloudOptions["--region"],
    description: "AWS region of the cloud commands.",
  },
  "--profile": {
    ...cloudOptions["--profile"],
    description: "AWS profile of the cloud commands.",
  },
  "--iam-role-arn": { ...cloudOptions["--iam-role-arn"], onlyWith: "--from" },
  "--yes": {
    short: "-y",
    description: "Ask nothing: accept each default, such as the directory's name for the app.",
  },
  "--dry-run": { description: "Print the files that it would make, and make none." },
});

export type InitOptions = Values<typeof OPTIONS>;

export type InitFlag = keyof typeof OPTIONS & `--${string}`;

export const initCommand: Command = command({
  details: "Existing files are kept. On a terminal, it asks for the name of a new app.",
  options: OPTIONS,
  examples: [
    ["Make the app flats", "mlcli init flats"],
    ["Make an app named after this directory", "mlcli init --yes"],
    [
      "Run a job of SageMaker on this machine",
      "mlcli init --from training-job/flats-9 --data 100MB && mlcli local train",
    ],
    ["Choose another Python version", "mlcli init flats --python-version 3.11"],
    [
      "Run your own script on an image that exists",
      "mlcli init shop --image team/torch:2 --source-dir src --entry-point train.py",
    ],
  ],
  action: async () => (await import("./init_action.ts")).initAction,
});
