import { UsageError } from "../../runtime/errors.ts";
import { appCommand } from "../command.ts";
import { TRAIN_OPTIONS } from "../options/cloud_job.ts";

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
  action: async (context, options) => {
    const { isOfAppsDirectory } = await import("../../runtime/app/image.ts");
    const { train } = await import("../../runtime/cloud/train.ts");
    const { programOf, requireCommand } = await import("../program.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { printResult } = await import("./descriptions.ts");
    const { jobRequest } = await import("./job_request.ts");
    const { app, args, command, sendCode } = options;
    requireCommand(args, command);
    const program = await programOf(app, options, args);
    const runsOwn = program.code === undefined && command.length === 0 && isOfAppsDirectory(app);
    if (sendCode && !runsOwn) {
      throw new UsageError(
        'Option "--send-code" requires the Dockerfile of mlcli init, and no entry point or command',
        { hint: program.code && "Remove --send-code: the code of an entry point is always sent" },
      );
    }
    const request = await jobRequest(context, options, "mlcli train");
    const host = { ...context, waiting: new WaitingProgress(context) };
    await printResult(context, options.output, await train({ ...request, program }, host));
  },
});
