import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, outputFormat, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "--input-dir": {
    short: "-i",
    value: "path",
    description: "File or directory to upload (repeatable)",
    required: true,
    repeatable: true,
    path: "typed",
  },
  "--target-dir": {
    value: "s3_uri",
    description: "S3 URI to upload to (default: data/ below s3_prefix in NAME.json)",
  },
  "--delete": {
    description: "After the upload, delete all other objects below --target-dir",
  },
  ...cloudOptions,
  "--dry-run": {
    description: "Check everything and print what would be uploaded and deleted, without doing it",
  },
  ...outputFormat,
  ...progressOptions,
});

export type UploadDataOptions = Values<typeof OPTIONS>;

export const uploadDataCommand: Command = command({
  details:
    "The files of a directory keep their relative paths. mlcli skips files that S3 already " +
    "has (same size, not older), so after an interruption, rerun the command to resume.",
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
