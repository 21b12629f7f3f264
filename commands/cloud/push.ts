import { appCommand, type AppValues, type Command } from "../command.ts";
import { options } from "../options/option.ts";
import { parseRepositoryName } from "../options/job_parsers.ts";
import {
  appName,
  cloudOptions,
  dockerTag,
  outputFormat,
  progressOptions,
} from "../options/shared.ts";

const OPTIONS = options({
  ...cloudOptions,
  ...appName,
  ...dockerTag,
  "--repository NAME": {
    description: "ECR repository to push to (default: image_name in NAME.json)",
    parse: parseRepositoryName,
  },
  "--dry-run": {
    description:
      "Check the image and the settings, and print the AWS calls as JSON, without pushing",
  },
  ...outputFormat,
  ...progressOptions,
});

export type PushValues = AppValues<typeof OPTIONS>;

export const pushCommand: Command = appCommand({
  details: "mlcli creates the ECR repository if it does not exist. mlcli converts OCI " +
    "manifests of newer Docker Engines, because SageMaker rejects these manifests. The " +
    "result is the image's address with its digest.",
  options: OPTIONS,
  examples: [
    ["Push app:latest", "mlcli push"],
    ["Push tag v2 to another repository", "mlcli push -t v2 --repository team/flats"],
  ],
  action: async () => (await import("./push_action.ts")).pushAction,
});
