/**
 * A list of endpoints as text and as JSON, made page by page so that its length does not matter.
 *
 * @module
 */

import type { Endpoint } from "../../runtime/aws/sagemaker.ts";
import { localTimestamp } from "../render/timestamp.ts";

/** Turns pages into output, one after the other. */
export interface EndpointFormat {
  page(endpoints: readonly Endpoint[]): string;
  /** What belongs after the last page. */
  end(): string;
  /** What belongs after a page when the next one does not come: the end of its line. */
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
        const text = before + JSON.stringify(jsonEndpoint(endpoint));
        before = ",\n  ";
        return text;
      }).join("");
    },
    end: () => before.startsWith("[") ? "[]\n" : "\n]\n",
    // Without the bracket: no reader may take this for the whole list.
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
