import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, outputFormat, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "--input-dir": {
    short: "-i",
    value: "path",
    description: "File or directory to upload. May be repeated.",
    required: true,
    repeatable: true,
    path: "typed",
  },
  "--target-dir": {
    value: "uri",
    description: "Destination, s3://BUCKET/PREFIX. Default: {s3_prefix}/data/ of the app.",
  },
  "--delete": {
    description: "Afterwards, delete all other objects below the destination.",
  },
  ...cloudOptions,
  "--dry-run": {
    description: "Check everything and print what would be uploaded and deleted, but do nothing.",
  },
  ...outputFormat,
  ...progressOptions,
});

export type UploadDataOptions = Values<typeof OPTIONS>;

export const uploadDataCommand: Command = command({
  details:
    "The files of a directory keep their paths below it. A file that is already there, with the " +
    "same size and no older, is skipped, so the same command resumes after an interruption.",
  options: OPTIONS,
  examples: [
    ["Upload a directory", "mlcli upload-data -i my_data --target-dir s3://my-bucket/flats/data"],
    [
      "Make S3 match the directory",
      "mlcli upload-data -i my_data --target-dir s3://my-bucket/flats/data --delete",
    ],
  ],
  action: async () => (await import("./upload_data_action.ts")).uploadDataAction,
});
