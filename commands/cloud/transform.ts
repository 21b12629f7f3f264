import { appCommand } from "../command.ts";
import { TRANSFORM_OPTIONS } from "../options/cloud_job.ts";

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
  action: async (context, options) => {
    const { withTag } = await import("../../runtime/app/app.ts");
    const { isMade, modelOf } = await import("../../runtime/cloud/transform/model.ts");
    const { transform } = await import("../../runtime/cloud/transform/transform.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { printResult } = await import("./descriptions.ts");
    const { jobRequest } = await import("./job_request.ts");
    let { app } = options;
    if (!isMade(modelOf(options))) {
      // An existing model has its own image, so the configuration file's image does not need trust.
      const configuration = { ...app.configuration, image: undefined };
      app = withTag({ ...app, configuration }, options.dockerTag);
    }
    const request = await jobRequest(context, { ...options, app }, "mlcli transform");
    const host = { ...context, waiting: new WaitingProgress(context) };
    await printResult(context, options.output, await transform(request, host));
  },
});
