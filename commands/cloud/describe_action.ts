/**
 * What `mlcli describe` does.
 *
 * @module
 */

import { describeByName } from "../../runtime/cloud/by_name/describe.ts";
import type { Context } from "../../runtime/context.ts";
import { warnOfKeys } from "../chosen_app.ts";
import type { DescribeOptions } from "./describe.ts";
import { jobJson, jobText } from "./job_formats.ts";
import { printable, printableJson } from "../../runtime/text.ts";
import { endpointJson, endpointText } from "./endpoint_description.ts";

/** Shows what a job or an endpoint is. */
export async function describeAction(context: Context, options: DescribeOptions): Promise<void> {
  await warnOfKeys(context, options);
  const { name, kind } = options;
  const note = (text: string): void => context.err.print(`${printable(text)}\n`);
  const found = await describeByName({ choice: options, name, kind }, context, note);
  const now = context.clock.date();
  const isJson = options.output === "json";
  const json = (value: unknown): string => `${printableJson(value, 2)}\n`;
  if (found.kind === "endpoint") {
    context.out.print(isJson ? json(endpointJson(found, now)) : endpointText(found, now));
  } else context.out.print(isJson ? json(jobJson(found)) : jobText(found));
}
