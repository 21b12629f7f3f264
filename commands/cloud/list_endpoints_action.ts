/**
 * What `mlcli list-endpoints` does.
 *
 * @module
 */

import { regionWords } from "../../runtime/aws/settings.ts";
import { connectToSageMaker } from "../../runtime/cloud/connection.ts";
import type { Context } from "../../runtime/context.ts";
import { checkNamePart } from "../../runtime/contract/endpoint_names.ts";
import { type EndpointFormat, jsonFormat, textFormat } from "./endpoint_formats.ts";
import type { ListEndpointsOptions } from "./list_endpoints.ts";

/** Lists the endpoints page by page, as they come. */
export async function listEndpointsAction(
  context: Context,
  options: ListEndpointsOptions,
): Promise<void> {
  const { status, nameContains } = options;
  if (nameContains !== undefined) checkNamePart(nameContains);
  const sagemaker = await connectToSageMaker(options, context);
  const format: EndpointFormat = options.output === "json" ? jsonFormat() : textFormat();
  const write = (text: string) => context.out.write(new TextEncoder().encode(text));
  let count = 0;
  try {
    for await (const page of sagemaker.listEndpoints({ status, nameContains })) {
      count += page.length;
      await write(format.page(page));
    }
  } catch (error) {
    await write(format.breakOff());
    throw error;
  }
  await write(format.end());
  if (count === 0 && context.err.isTerminal) {
    // The usual cause is a wrong region.
    context.err.print(`0 endpoints in ${regionWords(sagemaker.region)}\n`);
  }
}
