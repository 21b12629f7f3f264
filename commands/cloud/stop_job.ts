/**
 * `mlcli stop-job`
 *
 * @module
 */

import { type Command, command } from "../command.ts";
import { thingName } from "../options/thing_name.ts";
import { options, type Values } from "../options/option.ts";

const OPTIONS = options({
  ...thingName,
  "--wait": { description: "Wait until the job has ended." },
});

/** Options of `stop-job`. */
export type StopJobOptions = Values<typeof OPTIONS>;

/** Stops a job. */
export const stopJobCommand: Command = command({
  details:
    "The code gets SIGTERM. A training then has 120 seconds to end, and what it has written " +
    "to /opt/ml/model is kept.",
  options: OPTIONS,
  examples: [["Stop a job, and see how it ends", "mlcli stop-job churn-2026-03-01 --wait"]],
  action: async () => (await import("./stop_job_action.ts")).stopJobAction,
});
