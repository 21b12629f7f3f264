/**
 * What `mlcli stop-job` does.
 *
 * @module
 */

import { stopJob } from "../../runtime/cloud/by_name/stop_job.ts";
import type { Context } from "../../runtime/context.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { ShownJob } from "./job_report.ts";
import type { StopJobOptions } from "./stop_job.ts";

/** Stops a job; waits when asked to. */
export async function stopJobAction(context: Context, options: StopJobOptions): Promise<void> {
  await warnOfKeys(context, options);
  using report = new ShownJob(context);
  const { name, kind, wait } = options;
  await stopJob({ choice: options, name, kind, wait }, context, report);
}
