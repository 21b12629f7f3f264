/**
 * What `mlcli logs` does.
 *
 * @module
 */

import { showLog } from "../../runtime/cloud/by_name/show_log.ts";
import type { Context } from "../../runtime/context.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { ShownJob } from "./job_report.ts";
import type { LogsOptions } from "./logs.ts";

/** Shows the log of a job. */
export async function logsAction(context: Context, options: LogsOptions): Promise<void> {
  await warnOfKeys(context, options);
  using report = new ShownJob(context, "out");
  const { name, kind, follow, tail, since } = options;
  await showLog({ choice: options, name, kind, follow, tail, since }, context, report);
}
