/**
 * `mlcli wait`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { jobName } from "../options/job_name.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({ ...jobName });

/** Options of `wait`. */
export type WaitOptions = Values<typeof OPTIONS>;

/** Waits for the end of a job. */
export const waitCommand: Command = command({
  details:
    "Prints the address of what the job made. A job that failed, or was stopped, makes the " +
    "exit status 1; after Ctrl-C the job goes on.",
  options: OPTIONS,
  examples: [["Wait for a training", "mlcli wait churn-2026-03-01-09-30-00-123"]],
  action: async () => (await import("./wait_action.ts")).waitAction,
});
