/**
 * `mlcli describe`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { thingName } from "../options/thing_name.ts";
import { options, type Values } from "../options/option.ts";
import { outputFormat } from "../options/output.ts";

const OPTIONS = options({ ...thingName, ...outputFormat });

/** Options of `describe`. */
export type DescribeOptions = Values<typeof OPTIONS>;

/** Describes a job or an endpoint. */
export const describeCommand: Command = command({
  details: "Of environment variables, only the names are shown.",
  options: OPTIONS,
  examples: [
    ["See the status of a job", "mlcli describe churn-2026-03-01"],
    [
      "Get its artifact, for another program",
      "mlcli describe churn-2026-03-01 --output json | jq -r .artifact",
    ],
    ["See what an endpoint serves, and on which instances", "mlcli describe churn --kind endpoint"],
  ],
  action: async () => (await import("./describe_action.ts")).describeAction,
});
