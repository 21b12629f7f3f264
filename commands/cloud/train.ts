import { appCommand, type AppValues } from "../command.ts";
import { TRAIN_OPTIONS } from "../options/cloud_job.ts";

export type TrainValues = AppValues<typeof TRAIN_OPTIONS>;

export default appCommand({
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
  action: async (context, options) =>
    await (await import("./job_actions.ts")).trainAction(context, options),
});
