import { command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { jobOrEndpoint, outputFormat } from "../options/shared.ts";

const DESCRIBE = options({ ...jobOrEndpoint, ...outputFormat });

export type DescribeOptions = Values<typeof DESCRIBE>;

export default command({
  usesApps: true,
  details: "mlcli shows the names of environment variables, but not their values",
  options: DESCRIBE,
  examples: [
    ["Show the status of a job", "mlcli describe flats-2026-03-01"],
    [
      "Print only the S3 URI of its model",
      "mlcli describe flats-2026-03-01 --output json | jq -r .artifact",
    ],
    ["Show the model and the instances of an endpoint", "mlcli describe shop --kind endpoint"],
  ],
  action: async (context, options) =>
    await (await import("./by_name_actions.ts")).describeAction(context, options),
});
