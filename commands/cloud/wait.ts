/**
 * `mlcli wait`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { thingName } from "../options/thing_name.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({ ...thingName });

/** Options of `wait`. */
export type WaitOptions = Values<typeof OPTIONS>;

/** Waits for the end of a job, or until an endpoint has settled. */
export const waitCommand: Command = command({
  details:
    "Prints the address of what a job made, or the name of an endpoint. The exit status is 1 if " +
    "the job failed or was stopped, or the endpoint failed or its update was rolled back. After " +
    "Ctrl-C, the job or the update goes on.",
  options: OPTIONS,
  examples: [
    ["Wait for a training", "mlcli wait churn-2026-03-01-09-30-00-123"],
    ["Wait until an endpoint serves", "mlcli wait churn"],
  ],
  action: async () => (await import("./wait_action.ts")).waitAction,
});
