/**
 * `mlcli describe`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { jobName } from "../options/job_name.ts";
import { options, type Values } from "../options/option.ts";
import { outputFormat } from "../options/output.ts";

const OPTIONS = options({ ...jobName, ...outputFormat });

/** Options of `describe`. */
export type DescribeOptions = Values<typeof OPTIONS>;

/** Describes a job. */
export const describeCommand: Command = command({
  details: "Of the job's variables only the names are shown.",
  options: OPTIONS,
  examples: [
    ["See how far a job is", "mlcli describe churn-2026-03-01"],
    [
      "Its artifact, for another program",
      "mlcli describe churn-2026-03-01 --output json | jq -r .artifact",
    ],
  ],
  action: async () => (await import("./describe_action.ts")).describeAction,
});
