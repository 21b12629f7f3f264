/**
 * What `mlcli wait` does.
 *
 * @module
 */

import { waitByName } from "../../runtime/cloud/by_name/wait.ts";
import type { Context } from "../../runtime/context.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { ShownJob } from "./job_report.ts";
import type { WaitOptions } from "./wait.ts";

/** Waits for the end of a job. */
export async function waitAction(context: Context, options: WaitOptions): Promise<void> {
  await warnOfKeys(context, options);
  using report = new ShownJob(context);
  const { name, kind } = options;
  await waitByName({ choice: options, name, kind }, context, report);
}
