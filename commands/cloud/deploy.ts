import { appCommand } from "../command.ts";
import { DEPLOY_OPTIONS } from "../options/cloud_deploy.ts";

export default appCommand({
  details: "An endpoint costs money until you delete it. An update changes only the settings " +
    "that you pass. The endpoint serves the old model until the new model is ready. To " +
    "serve locally, use mlcli local deploy.",
  options: DEPLOY_OPTIONS,
  section: "deploy",
  examples: [
    [
      "Train a model and serve it",
      'mlcli deploy -n shop -e ml.m5.large -m "$(mlcli train -i s3://my-bucket/d)"',
    ],
    [
      "Create a serverless endpoint, and pay only per request",
      "mlcli deploy -n shop --memory-size-in-mb 2048 -m s3://my-bucket/model.tar.gz",
    ],
    [
      "Update 10% of the instances first",
      "mlcli deploy -n shop -m s3://my-bucket/m.tar.gz --canary 10 --alarm errors",
    ],
  ],
  action: async (caller, options) => {
    const { deploy } = await import("../../runtime/cloud/deploy/deploy.ts");
    const { programOf } = await import("../program.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { printResult } = await import("./descriptions.ts");
    const { cloudRequest } = await import("./job_request.ts");
    const context = { ...caller, waiting: new WaitingProgress(caller) };
    const { code } = await programOf(options.app, options);
    const request = { ...await cloudRequest(context, options, "mlcli deploy"), code };
    await printResult(context, options.output, await deploy(request, context));
  },
});
