import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "<job-or-uri>": {},
  "--to": {
    value: "dir",
    description: "Directory for the model, empty or new. Default: the app's model/.",
    path: "typed",
  },
  ...cloudOptions,
  ...progressOptions,
});

export type DownloadModelOptions = Values<typeof OPTIONS>;

export const downloadModelCommand: Command = command({
  details: "Takes the name of a training job, or the address of its model.tar.gz, and prints the " +
    "directory. The app's model is replaced once the download is complete; a running server keeps " +
    "the model that it has loaded.",
  options: OPTIONS,
  examples: [
    [
      "Serve here what was trained on SageMaker",
      "mlcli download-model flats-2026-03-01-09-30-00-123 && mlcli local deploy",
    ],
    [
      "Unpack a model elsewhere",
      "mlcli download-model s3://my-bucket/output/JOB/output/model.tar.gz --to old",
    ],
  ],
  action: async () => (await import("./download_model_action.ts")).downloadModelAction,
});
