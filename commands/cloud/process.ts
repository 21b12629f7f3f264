import { appCommand, type AppValues } from "../command.ts";
import { PROCESS_OPTIONS } from "../options/cloud_job.ts";

export type ProcessValues = AppValues<typeof PROCESS_OPTIONS>;

export default appCommand({
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
  action: async (context, options) =>
    await (await import("./job_actions.ts")).processAction(context, options),
});
