import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, outputFormat, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "-i, --input-dir PATH...": {
    description: "File or directory to upload (repeatable)",
    required: true,
    path: "typed",
  },
  "--target-dir S3_URI": {
    description: "S3 URI to upload to (default: data/ below s3_prefix in NAME.json)",
  },
  "--delete": { description: "After the upload, delete all other objects below --target-dir" },
  ...cloudOptions,
  "--dry-run": {
    description:
      "Check the settings and list the files to upload and delete, without making changes",
  },
  ...outputFormat,
  ...progressOptions,
});

export type UploadDataOptions = Values<typeof OPTIONS>;

export const uploadDataCommand: Command = command({
  usesApps: true,
  details: "Files of a directory keep their relative paths. mlcli skips a file if S3 already " +
    "has an object of the same size that is as new as the file. To resume an interrupted " +
    "upload, rerun the command.",
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
