import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  ...cloudOptions,
  "--status STATUS": {
    // API reference, DescribeEndpoint, `EndpointStatus`.
    choices: [
      "InService",
      "Creating",
      "Updating",
      "SystemUpdating",
      "RollingBack",
      "Deleting",
      "Failed",
      "OutOfService",
      "UpdateRollbackFailed",
    ],
    description: "List only endpoints with this status: InService, Failed, ...",
  },
  "--name-contains TEXT": { description: "List only endpoints with this text in their names" },
  ...outputFormat,
});

export type ListEndpointsOptions = Values<typeof OPTIONS>;

export default command({
  usesApps: true,
  details: "With --output json, mlcli also prints the age in seconds, and the instance type " +
    "and count or the serverless memory. These values require two AWS requests per " +
    "endpoint.",
  options: OPTIONS,
  examples: [
    ["List the endpoints in another region", "mlcli list-endpoints --region eu-west-1"],
    [
      "List failed endpoints as JSON",
      "mlcli list-endpoints --status Failed --output json",
    ],
  ],
  action: async (context, options) =>
    await (await import("./list_endpoints_action.ts")).listEndpointsAction(context, options),
});
