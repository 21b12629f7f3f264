import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
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
  "--repository": {
    value: "name",
    description: "Repository to push to. Default: that of image_name.",
    parse: parseRepositoryName,
  },
  "--dry-run": {
    description: "Check everything and print the calls as JSON, but push nothing.",
  },
  ...outputFormat,
  ...progressOptions,
});

export type PushOptions = Values<typeof OPTIONS>;

export const pushCommand: Command = command({
  details:
    "The repository is created if it does not exist. SageMaker refuses the OCI manifests that " +
    "newer Docker Engines write, so the image gets one that it accepts. Prints the image's address " +
    "with its digest, which names this very image whatever is pushed later.",
  options: OPTIONS,
  examples: [
    ["Push app:latest", "mlcli push"],
    ["Push another tag to another repository", "mlcli push -t v2 --repository team/flats"],
  ],
  action: async () => (await import("./push_action.ts")).pushAction,
});
