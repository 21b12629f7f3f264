/** `mlcli train`, `process` and `transform`: the commands that start a job on SageMaker. */

import { type Command, command } from "../command.ts";
import { PROCESS_OPTIONS, TRAIN_OPTIONS, TRANSFORM_OPTIONS } from "../options/cloud_job.ts";
import type { Values } from "../options/option.ts";

export type TrainOptions = Values<typeof TRAIN_OPTIONS>;

export type TrainDeclaration = typeof TRAIN_OPTIONS;

export const trainCommand: Command = command({
  details:
    "This costs money, and the job goes on if this command is interrupted. Everything that can " +
    "be checked is checked first. mlcli local train runs the same code on this machine.",
  options: TRAIN_OPTIONS,
  examples: [
    [
      "Train on data in S3, and serve the result here",
      "mlcli download-model $(mlcli train -i s3://my-bucket/data -e ml.m5.large)",
    ],
    ["See what would be sent to AWS", "mlcli train --dry-run"],
    [
      "Train on spare instances",
      "mlcli train --spot --checkpoint-s3-dir s3://my-bucket/flats/ckpt",
    ],
  ],
  action: async () => (await import("./job_actions.ts")).trainAction,
});

export type ProcessOptions = Values<typeof PROCESS_OPTIONS>;

export type ProcessDeclaration = typeof PROCESS_OPTIONS;

export const processCommand: Command = command({
  details:
    "This costs money, and the job goes on if this command is interrupted. Everything that can " +
    "be checked is checked first. mlcli local process runs the same script on this machine.",
  options: PROCESS_OPTIONS,
  examples: [
    [
      "Run processing/clean.py on data in S3",
      "mlcli process -f processing.py -i s3://my-bucket/flats/raw -e ml.m5.large",
    ],
    ["Pass it arguments", "mlcli process -f my_code.py -- --rows 1000"],
  ],
  action: async () => (await import("./job_actions.ts")).processAction,
});

export type TransformOptions = Values<typeof TRANSFORM_OPTIONS>;

export type TransformDeclaration = typeof TRANSFORM_OPTIONS;

export const transformCommand: Command = command({
  details:
    "A server of the model gets each file in requests, and the answers become FILE.out. A model " +
    "that is made for the job is deleted with it. This costs money, and the job goes on if this " +
    "command is interrupted. mlcli local transform does the same on this machine.",
  options: TRANSFORM_OPTIONS,
  examples: [
    [
      "Score files with the model of a training job",
      "mlcli transform -i s3://my-bucket/new --job flats-2026-03-01 -e ml.m5.large",
    ],
    [
      "Use the model of an endpoint",
      "mlcli transform -i s3://my-bucket/new --endpoint flats -e ml.m5.large",
    ],
  ],
  action: async () => (await import("./transform_action.ts")).transformAction,
});
