/** `mlcli train`, `process` and `transform`: the commands that start a job on SageMaker. */

import { appCommand, type AppValues, type Command } from "../command.ts";
import { PROCESS_OPTIONS, TRAIN_OPTIONS, TRANSFORM_OPTIONS } from "../options/cloud_job.ts";

export type TrainValues = AppValues<typeof TRAIN_OPTIONS>;

export const trainCommand: Command = appCommand({
  details: "A job costs money, and keeps running if you interrupt this command. mlcli checks " +
    "the settings, the image and the data before it creates the job. To run the code " +
    "locally, use mlcli local train.",
  options: TRAIN_OPTIONS,
  section: "train",
  examples: [
    [
      "Train on data in S3 and download the model",
      "mlcli download-model $(mlcli train -i s3://my-bucket/data -e ml.m5.large)",
    ],
    ["Show the AWS calls without making them", "mlcli train --dry-run"],
    [
      "Train on spot instances and save checkpoints",
      "mlcli train --spot --checkpoint-s3-dir s3://my-bucket/flats/ckpt",
    ],
  ],
  action: async () => (await import("./job_actions.ts")).trainAction,
});

export type ProcessValues = AppValues<typeof PROCESS_OPTIONS>;

export const processCommand: Command = appCommand({
  details: "A job costs money, and keeps running if you interrupt this command. mlcli checks " +
    "the settings, the image and the data before it creates the job. To run the script " +
    "locally, use mlcli local process.",
  options: PROCESS_OPTIONS,
  section: "process",
  examples: [
    [
      "Run processing/processing.py on data in S3",
      "mlcli process -f processing.py -i s3://my-bucket/flats/raw -e ml.m5.large",
    ],
    ["Pass arguments to the script", "mlcli process -f my_code.py -- --rows 1000"],
  ],
  action: async () => (await import("./job_actions.ts")).processAction,
});

export type TransformValues = AppValues<typeof TRANSFORM_OPTIONS>;

export const transformCommand: Command = appCommand({
  details: "SageMaker sends the records of each file to a server with the model, and saves " +
    "the responses as FILE.out. If mlcli creates a SageMaker model for the job, it " +
    "deletes the model after the job. A job costs money, and keeps running if you " +
    "interrupt this command. To transform files locally, use mlcli local transform.",
  options: TRANSFORM_OPTIONS,
  section: "transform",
  examples: [
    [
      "Transform files with the model of a training job",
      "mlcli transform -i s3://my-bucket/new --job flats-2026-03-01 -e ml.m5.large",
    ],
    [
      "Use the model of an endpoint",
      "mlcli transform -i s3://my-bucket/new --endpoint shop -e ml.m5.large",
    ],
  ],
  action: async () => (await import("./transform_action.ts")).transformAction,
});
