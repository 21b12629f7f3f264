import { appCommand, type AppValues } from "../command.ts";
import { DEPLOY_OPTIONS } from "../options/cloud_deploy.ts";

export type DeployValues = AppValues<typeof DEPLOY_OPTIONS>;

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
  action: async (context, options) =>
    await (await import("./deploy_action.ts")).deployAction(context, options),
});
