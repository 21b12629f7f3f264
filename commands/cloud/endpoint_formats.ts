/** A list of endpoints as text and as JSON, made page by page: it may be of any length. */

import type { ListedEndpoint } from "../../runtime/cloud/endpoints/list_endpoints.ts";
import { localTimestamp } from "../render/format.ts";
import type { Output } from "../../runtime/streams.ts";
import { printableJson } from "../../runtime/text.ts";
import { listRow, listText } from "./list_text.ts";

export interface EndpointFormat {
  page(endpoints: readonly ListedEndpoint[]): string;
  /** Follows the last page. */
  end(): string;
  /** Follows the last page if the next one cannot be read. */
  breakOff(): string;
}

/**
 * A line an endpoint: `{name}  {status}  {creation_time}`. On a terminal the age, a table a page, and the
 * headings once.
 */
export function textFormat(out: Output, now: Date): EndpointFormat {
  let hasHeadings = false;
  return {
    page(endpoints) {
      const rows = endpoints.map((one) => listRow(one, out.isTerminal ? now : undefined));
      const text = listText(["NAME", "STATUS", "AGE"], rows, out);
      const isMore = hasHeadings && out.isTerminal;
      hasHeadings ||= rows.length > 0;
      return isMore ? text.slice(text.indexOf("\n") + 1) : text;
    },
    end: () => "",
    breakOff: () => "",
  };
}

/**
 * One JSON array; what is not known is `null`.
 * @param now counts for the age.
 */
export function jsonFormat(now: Date): EndpointFormat {
  let before = "[\n  ";
  return {
    page(endpoints) {
      return endpoints.map((endpoint) => {
        const json = printableJson(jsonEndpoint(endpoint, now), 2);
        const text = before + json.replaceAll("\n", "\n  ");
        before = ",\n  ";
        return text;
      }).join("");
    },
    end: () => before.startsWith("[") ? "[]\n" : "\n]\n",
    // Without the closing bracket, so that no reader takes it for the whole list.
    breakOff: () => before.startsWith("[") ? "" : "\n",
  };
}

function jsonEndpoint(
  { name, status, creationTime, machines }: ListedEndpoint,
  now: Date,
): Record<string, string | number | null> {
  return {
    endpoint_name: name,
    status,
    creation_time: localTimestamp(creationTime, "T"),
    age_seconds: ageSeconds(creationTime, now),
    instance_type: machines?.instanceType ?? null,
    instance_count: machines?.instanceCount ?? null,
    memory_size_in_mb: machines?.memorySize ?? null,
  };
}

/** 0 where clocks disagree. */
export function ageSeconds(creationTime: Date, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - creationTime.getTime()) / 1000));
}
