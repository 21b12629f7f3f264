/**
 * `mlcli train`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { cloudJobOptions, instanceOptions } from "../options/cloud_job.ts";
import { parseAddress, parseChannelAddress, parseRun } from "../options/job_parsers.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  "--input-s3-dir": {
    short: "-i",
    value: "uri",
    description: "[CHANNEL=]s3://BUCKET/PREFIX, the data; the channel is training where none is " +
      "named. May be repeated.",
    repeatable: true,
    key: true,
    needed: true,
    parse: parseChannelAddress,
  },
  "--output-s3-dir": {
    short: "-o",
    value: "uri",
    description: "Where the artifact goes, below JOB/output/. Without it: {s3_prefix}/output.",
    key: true,
    parse: parseAddress,
  },
  ...instanceOptions("train"),
  "--hyperparameter": {
    value: "pair",
    description: "KEY=VALUE, over those of input/config/hyperparameters.json. May be repeated.",
    repeatable: true,
    key: true,
  },
  "--spot": { description: "Run on spare instances, for less, with interruptions.", key: true },
  "--max-wait": {
    value: "seconds",
    description: "With --spot: how long it may wait and run. Without it: as --max-run.",
    key: true,
    parse: parseRun("train"),
  },
  "--checkpoint-s3-dir": {
    value: "uri",
    description: "Where /opt/ml/checkpoints is kept, and comes from.",
    key: true,
    parse: parseAddress,
  },
  ...cloudJobOptions,
});

/** Options of `train`. */
export type TrainOptions = Values<typeof OPTIONS>;

/** What `trainAction` needs to read them once more. */
export type TrainDeclaration = typeof OPTIONS;

/** Trains on SageMaker. */
export const trainCommand: Command = command({
  details:
    "It costs money, and goes on when this command is interrupted. Whatever can be checked " +
    "is checked before. mlcli local train runs the same code on this machine.",
  options: OPTIONS,
  examples: [
    [
      "Train on data in S3, and serve the result here",
      "mlcli download-model $(mlcli train -i s3://my-bucket/churn/data -e ml.m5.large)",
    ],
    ["See what would be asked of the platform", "mlcli train --dry-run"],
    [
      "Train on spare instances",
      "mlcli train --spot --checkpoint-s3-dir s3://my-bucket/churn/ckpt",
    ],
  ],
  action: async () => (await import("./train_action.ts")).trainAction,
});
