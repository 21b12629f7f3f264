/**
 * What `mlcli local logs` does.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { showLogs } from "../../runtime/local/server/logs.ts";
import type { LogsOptions } from "./logs.ts";

/** Shows the log of the server on a port. */
export async function logsAction(context: Context, options: LogsOptions): Promise<void> {
  await showLogs(options, context);
}
