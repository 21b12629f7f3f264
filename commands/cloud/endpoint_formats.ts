/**
 * A list of endpoints as text and as JSON, made page by page: however long, it is never held whole.
 *
 * @module
 */

import type { Endpoint } from "../../runtime/aws/sagemaker_endpoints.ts";
import { localTimestamp } from "../render/timestamp.ts";
import { printableJson } from "../../runtime/text.ts";

/** Turns one page after the other into output. */
export interface EndpointFormat {
  page(endpoints: readonly Endpoint[]): string;
  /** What belongs after the last page. */
  end(): string;
  /** What belongs after the last page that came, if the next one cannot be read. */
  breakOff(): string;
}

/** A line an endpoint: `{name}  {status}  {creation_time}`. */
export function textFormat(): EndpointFormat {
  return {
    page: (endpoints) =>
      endpoints.map(({ name, status, creationTime }) =>
        `${name}  ${status}  ${localTimestamp(creationTime, " ")}\n`
      ).join(""),
    end: () => "",
    breakOff: () => "",
  };
}

/** One JSON array, an endpoint a line. */
export function jsonFormat(): EndpointFormat {
  let before = "[\n  ";
  return {
    page(endpoints) {
      return endpoints.map((endpoint) => {
        const text = before + printableJson(jsonEndpoint(endpoint));
        before = ",\n  ";
        return text;
      }).join("");
    },
    end: () => before.startsWith("[") ? "[]\n" : "\n]\n",
    // Without the closing bracket, so that no reader takes it for the whole list.
    breakOff: () => before.startsWith("[") ? "" : "\n",
  };
}

function jsonEndpoint({ name, status, creationTime }: Endpoint): Record<string, string> {
  return {
    endpoint_name: name,
    status,
    creation_time: localTimestamp(creationTime, "T"),
  };
}
