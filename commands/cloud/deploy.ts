import { type Command, command } from "../command.ts";
import { DEPLOY_OPTIONS } from "../options/cloud_deploy.ts";
import type { Values } from "../options/option.ts";

export type DeployOptions = Values<typeof DEPLOY_OPTIONS>;

export type DeployDeclaration = typeof DEPLOY_OPTIONS;

export const deployCommand: Command = command({
  details:
    "An endpoint costs money until it is deleted. An update keeps whatever no option changes, " +
    "goes on serving, and is done when the new model serves. mlcli local deploy serves on this " +
    "machine.",
  options: DEPLOY_OPTIONS,
  examples: [
    [
      "Train, and serve the result",
      'mlcli deploy -n shop -e ml.m5.large -m "$(mlcli train -i s3://my-bucket/d)"',
    ],
    [
      "Pay for what is asked alone",
      "mlcli deploy -n shop --memory-size-in-mb 2048 -m s3://my-bucket/model.tar.gz",
    ],
    [
      "Update a tenth of the instances first",
      "mlcli deploy -n shop -m s3://my-bucket/m.tar.gz --canary 10 --alarm errors",
    ],
  ],
  action: async () => (await import("./deploy_action.ts")).deployAction,
});
