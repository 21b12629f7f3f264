import { regionWords } from "../../runtime/aws/settings.ts";
import { listEndpoints } from "../../runtime/cloud/endpoints/list_endpoints.ts";
import type { Context } from "../../runtime/context.ts";
import { printable } from "../../runtime/text.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { type EndpointFormat, jsonFormat, textFormat } from "./endpoint_formats.ts";
import type { ListEndpointsOptions } from "./list_endpoints.ts";

/** Lists the endpoints page by page, as they come. */
export async function listEndpointsAction(
  context: Context,
  options: ListEndpointsOptions,
): Promise<void> {
  await warnOfKeys(context, options);
  const { status, nameContains } = options;
  const isJson = options.output === "json";
  const filter = { status, nameContains };
  const listing = { choice: options, filter, withMachines: isJson };
  const note = (text: string): void => context.err.print(`${printable(text)}\n`);
  const { region, pages } = await listEndpoints(listing, context, note);
  const { out, clock } = context;
  const format: EndpointFormat = isJson ? jsonFormat(clock.date()) : textFormat(out, clock.date());
  const write = (text: string) => out.write(new TextEncoder().encode(text));
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
