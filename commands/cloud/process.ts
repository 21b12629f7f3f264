import { appCommand } from "../command.ts";
import { PROCESS_OPTIONS } from "../options/cloud_job.ts";

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
  action: async (context, options) => {
    const { process } = await import("../../runtime/cloud/process.ts");
    const { programOf } = await import("../program.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { printResult } = await import("./descriptions.ts");
    const { jobRequest } = await import("./job_request.ts");
    const program = await programOf(options.app, options, options.args);
    const request = await jobRequest(context, options, "mlcli process");
    const host = { ...context, waiting: new WaitingProgress(context) };
    await printResult(context, options.output, await process({ ...request, program }, host));
  },
});
