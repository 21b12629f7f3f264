import { isAgreed } from "../../runtime/agreement.ts";
import { describeByName, waitByName } from "../../runtime/cloud/by_name/by_name.ts";
import { showLog } from "../../runtime/cloud/by_name/show_log.ts";
import { stopJob } from "../../runtime/cloud/by_name/stop_job.ts";
import type { Context } from "../../runtime/context.ts";
import { printable, printableJson } from "../../runtime/text.ts";
import type { DescribeOptions } from "./describe.ts";
import type { LogsOptions } from "./logs.ts";
import type { StopJobOptions } from "./stop_job.ts";
import type { WaitOptions } from "./wait.ts";
import { describedJson, describedText } from "./descriptions.ts";
import { JobProgress } from "./job_progress.ts";

/** Shows what a job or an endpoint is. */
export async function describeAction(context: Context, options: DescribeOptions): Promise<void> {
  const note = (text: string): void => context.err.print(`${printable(text)}\n`);
  const found = await describeByName(options, context, note);
  const now = context.clock.date();
  context.out.print(
    options.output === "json"
      ? `${printableJson(describedJson(found, now), 2)}\n`
      : describedText(found, now),
  );
}

/** Shows the log of a job. */
export async function logsAction(context: Context, options: LogsOptions): Promise<void> {
  using report = new JobProgress(context, options, "out");
  await showLog(options, context, report);
}

/** Waits for the end of a job. */
export async function waitAction(context: Context, options: WaitOptions): Promise<void> {
  using report = new JobProgress(context, options);
  await waitByName(options, context, report);
}

/** Stops a job; waits when asked to. */
export async function stopJobAction(context: Context, options: StopJobOptions): Promise<void> {
  using report = new JobProgress(context, options);
  const agreed = async (question: string) =>
    options.yes || await isAgreed(question, context) !== false;
  await stopJob({ ...options, isAgreed: agreed }, context, report);
}
