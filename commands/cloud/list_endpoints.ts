import { command } from "../command.ts";
import { options } from "../options/option.ts";
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
  action: async (context, options) => {
    const { listEndpoints } = await import("../../runtime/cloud/endpoints/list_endpoints.ts");
    const { regionWords } = await import("../../runtime/aws/settings.ts");
    const { printList } = await import("../render/list.ts");
    const { listColumns, listedEndpointJson } = await import("./descriptions.ts");
    const withMachines = options.output === "json";
    const { region, pages } = await listEndpoints({ ...options, withMachines }, context);
    const now = context.clock.date();
    await printList(
      {
        pages,
        columns: listColumns(now),
        json: (endpoint) => listedEndpointJson(endpoint, now),
        // The usual cause is a wrong region.
        empty: `No endpoints in ${regionWords(region)}`,
      },
      options.output,
      context,
    );
  },
});
