/**
 * What `mlcli describe` does.
 *
 * @module
 */

import { describeByName } from "../../runtime/cloud/jobs/describe_by_name.ts";
import type { Context } from "../../runtime/context.ts";
import type { DescribeOptions } from "./describe.ts";
import { jobJson, jobText } from "./job_formats.ts";
import { printableJson } from "../../runtime/text.ts";

/** Shows what a job is. */
export async function describeAction(context: Context, options: DescribeOptions): Promise<void> {
  const { name, kind } = options;
  const job = await describeByName({ choice: options, name, kind }, context);
  context.out.print(
    options.output === "json" ? `${printableJson(jobJson(job), 2)}\n` : jobText(job),
  );
}
