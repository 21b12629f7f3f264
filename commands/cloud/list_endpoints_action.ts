/**
 * What `mlcli list-endpoints` does.
 *
 * @module
 */

import { regionWords } from "../../runtime/aws/settings.ts";
import { listEndpoints } from "../../runtime/cloud/endpoints/list_endpoints.ts";
import type { Context } from "../../runtime/context.ts";
import { type EndpointFormat, jsonFormat, textFormat } from "./endpoint_formats.ts";
import type { ListEndpointsOptions } from "./list_endpoints.ts";

/** Lists the endpoints page by page, as they come. */
export async function listEndpointsAction(
  context: Context,
  options: ListEndpointsOptions,
): Promise<void> {
  const { status, nameContains } = options;
  const listing = { choice: options, filter: { status, nameContains } };
  const { region, pages } = await listEndpoints(listing, context);
  const format: EndpointFormat = options.output === "json" ? jsonFormat() : textFormat();
  const write = (text: string) => context.out.write(new TextEncoder().encode(text));
  let count = 0;
  try {
    for await (const page of pages) {
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
    context.err.print(`0 endpoints in ${regionWords(region)}\n`);
  }
}
