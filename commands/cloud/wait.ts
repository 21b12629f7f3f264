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
    "Prints the address of what the job made; of an endpoint its name, once it is in service. " +
    "A job that failed or was stopped, and an endpoint that failed or whose update was taken back, " +
    "make the exit status 1. After Ctrl-C it goes on.",
  options: OPTIONS,
  examples: [
    ["Wait for a training", "mlcli wait churn-2026-03-01-09-30-00-123"],
    ["Wait until an endpoint serves", "mlcli wait churn"],
  ],
  action: async () => (await import("./wait_action.ts")).waitAction,
});
