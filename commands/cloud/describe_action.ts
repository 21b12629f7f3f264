/**
 * What `mlcli describe` does.
 *
 * @module
 */

import { describeByName } from "../../runtime/cloud/jobs/describe_by_name.ts";
import type { Context } from "../../runtime/context.ts";
import type { DescribeOptions } from "./describe.ts";
import { jobJson, jobText } from "./job_formats.ts";

/** Shows what a job is. */
export async function describeAction(context: Context, options: DescribeOptions): Promise<void> {
  const { name, kind } = options;
  const job = await describeByName({ choice: options, name, kind }, context);
  context.out.print(
    options.output === "json" ? `${JSON.stringify(jobJson(job), null, 2)}\n` : jobText(job),
  );
}
