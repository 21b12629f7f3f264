/**
 * What `mlcli logs` does.
 *
 * @module
 */

import { showJobLog } from "../../runtime/cloud/jobs/show_logs.ts";
import type { Context } from "../../runtime/context.ts";
import { ShownJob } from "./job_report.ts";
import type { LogsOptions } from "./logs.ts";

/** Shows the log of a job. */
export async function logsAction(context: Context, options: LogsOptions): Promise<void> {
  using report = new ShownJob(context, "out");
  const { name, kind, follow, tail, since } = options;
  await showJobLog({ choice: options, name, kind, follow, tail, since }, context, report);
}
