import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, outputFormat } from "../options/shared.ts";

const OPTIONS = options({
  ...cloudOptions,
  "--status": {
    value: "status",
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
    description: "Only those with this status: InService, Failed, ...",
  },
  "--name-contains": {
    value: "text",
    description: "Only those with this text in their names.",
  },
  ...outputFormat,
});

export type ListEndpointsOptions = Values<typeof OPTIONS>;

export const listEndpointsCommand: Command = command({
  details:
    "JSON also has what determines the cost: the instance type and number of instances (or the " +
    "memory, if serverless), and the age in seconds. That takes two requests for each endpoint.",
  options: OPTIONS,
  examples: [
    ["List the endpoints in another region", "mlcli list-endpoints --region eu-west-1"],
    [
      "List the failed ones for another program",
      "mlcli list-endpoints --status Failed --output json",
    ],
  ],
  action: async () => (await import("./list_endpoints_action.ts")).listEndpointsAction,
});
