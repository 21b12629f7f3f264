/**
 * `mlcli upload-data`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { cloudOptions } from "../options/cloud.ts";
import { options, type Values } from "../options/option.ts";
import { progressOptions } from "../options/progress.ts";

const OPTIONS = options({
  "--input-dir": {
    short: "-i",
    value: "path",
    description: "File or directory to send. May be repeated.",
    required: true,
    repeatable: true,
    completion: "file",
  },
  "--target-dir": {
    value: "uri",
    description: "Where to: s3://BUCKET/PREFIX. Without it: {s3_prefix}/data/ of the app.",
  },
  "--delete": {
    description: "When all is sent, delete what else lies below the target.",
  },
  ...cloudOptions,
  "--dry-run": {
    description: "Check everything, print what would be sent and deleted, do neither.",
  },
  ...progressOptions,
});

/** Options of `upload-data`. */
export type UploadDataOptions = Values<typeof OPTIONS>;

/** Sends files and directories to S3. */
export const uploadDataCommand: Command = command({
  details:
    "A directory's files are sent with their paths below it. What is there already, of the " +
    "same size and no older, is not sent again; so the same command goes on after an interruption.",
  options: OPTIONS,
  examples: [
    ["Send a directory", "mlcli upload-data -i data --target-dir s3://my-bucket/churn/data"],
    [
      "Make the same of it there as it is here",
      "mlcli upload-data -i data --target-dir s3://my-bucket/churn/data --delete",
    ],
  ],
  action: async () => (await import("./upload_data_action.ts")).uploadDataAction,
});
