import { appCommand, type AppValues } from "../command.ts";
import { TRANSFORM_OPTIONS } from "../options/cloud_job.ts";

export type TransformValues = AppValues<typeof TRANSFORM_OPTIONS>;

export default appCommand({
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
  action: async (context, options) =>
    await (await import("./transform_action.ts")).transformAction(context, options),
});
