import { regionWords } from "../../runtime/aws/settings.ts";
import {
  type ListedEndpoint,
  listEndpoints,
} from "../../runtime/cloud/endpoints/list_endpoints.ts";
import type { Context } from "../../runtime/context.ts";
import type { Output } from "../../runtime/streams.ts";
import { printable, printableJson } from "../../runtime/text.ts";
import { tableText } from "../render/table.ts";
import { listedEndpointJson, listRow } from "./descriptions.ts";
import type { ListEndpointsOptions } from "./list_endpoints.ts";

/** Lists the endpoints page by page, as they come. */
export async function listEndpointsAction(
  context: Context,
  options: ListEndpointsOptions,
): Promise<void> {
  const isJson = options.output === "json";
  const note = (text: string): void => context.err.print(`${printable(text)}\n`);
  const { region, pages } = await listEndpoints(
    { ...options, withMachines: isJson },
    context,
    note,
  );
  const { out, err, clock } = context;
  const now = clock.date();
  const write = (text: string) => out.write(new TextEncoder().encode(text));
  let count = 0;
  try {
    for await (const page of pages) {
      await write(
        isJson ? jsonPage(page, now, count === 0) : textPage(page, now, count === 0, out),
      );
      count += page.length;
    }
  } catch (error) {
    // Without the closing bracket, so that no reader takes it for the whole list.
    if (isJson && count > 0) await write("\n");
    throw error;
  }
  if (isJson) await write(count === 0 ? "[]\n" : "\n]\n");
  if (count === 0 && err.isTerminal) {
    // The usual cause is a wrong region.
    err.print(`No endpoints in ${regionWords(region)}\n`);
  }
}

/** A line an endpoint; on a terminal with ages, and headings above the first. */
function textPage(
  endpoints: readonly ListedEndpoint[],
  now: Date,
  isFirst: boolean,
  out: Output,
): string {
  const rows = endpoints.map((one) => listRow(one, out.isTerminal ? now : undefined));
  const text = tableText(["NAME", "STATUS", "AGE"], rows, out);
  return isFirst || !out.isTerminal ? text : text.slice(text.indexOf("\n") + 1);
}

/** A part of one JSON array. */
function jsonPage(endpoints: readonly ListedEndpoint[], now: Date, isFirst: boolean): string {
  return endpoints.map((endpoint, index) => {
    const json = printableJson(listedEndpointJson(endpoint, now), 2).replaceAll("\n", "\n  ");
    return `${isFirst && index === 0 ? "[" : ","}\n  ${json}`;
  }).join("");
}
