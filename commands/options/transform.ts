/** The options of both transforms that shape requests; keys of the object `transform` in the file. */

import { TRANSFORM } from "../../runtime/contract/limits.ts";
import {
  ASSEMBLIES,
  COMPRESSIONS,
  JOINS,
  SPLITS,
  STRATEGIES,
} from "../../runtime/contract/transform.ts";
import { parseFilter } from "../../runtime/contract/transform_filters.ts";
import { options } from "./option.ts";
import { parseMediaType, wholeNumber } from "./parsers.ts";

function parseFilterText(text: string): string {
  parseFilter(text);
  return text;
}

export const transformOptions = options({
  "--content-type": {
    value: "type",
    description: "Content type of the data, such as text/csv (default: from the file name)",
    key: true,
    parse: parseMediaType,
  },
  "--accept": {
    value: "type",
    description: "Content type of the responses (default: the type of the data if it is CSV or " +
      "JSON Lines, otherwise the server's choice)",
    key: true,
    parse: parseMediaType,
  },
  "--split": {
    value: "type",
    choices: SPLITS,
    description: "How to split a file into records: line, recordio, tfrecord, or none (default: " +
      "line for CSV and JSON Lines, otherwise none)",
    key: true,
  },
  "--strategy": {
    value: "strategy",
    choices: STRATEGIES,
    description: "Records per request: single, or multi for as many as fit (default: single for " +
      "JSON, otherwise the server's setting, or multi)",
    key: true,
  },
  "--assemble": {
    value: "type",
    choices: ASSEMBLIES,
    description: "Text to add after each response in the result: line (a newline) or none " +
      "(default: line with --split line, otherwise none)",
    key: true,
  },
  "--max-payload": {
    value: "mb",
    description:
      "Maximum size of a request in MB, 0 for no limit (default: the server's setting, or 6)",
    key: true,
    parse: wholeNumber(TRANSFORM.payload, "MB", 0),
  },
  "--max-concurrency": {
    value: "number",
    description: "Maximum number of concurrent requests (default: the server's setting, or 1)",
    key: true,
    parse: wholeNumber(undefined, undefined, 0),
  },
  "--compression": {
    value: "type",
    choices: COMPRESSIONS,
    description: "Compression of the data: gzip or none (default: none)",
    key: true,
  },
  "--input-filter": {
    value: "jsonpath",
    description: "Part of each record to send to the model, such as $[1:] for all but the first " +
      "column (default: all)",
    key: true,
    parse: parseFilterText,
  },
  "--output-filter": {
    value: "jsonpath",
    description: "Part of each record to keep in the result, such as $[0,-1] for its first and " +
      "last column (default: all)",
    key: true,
    parse: parseFilterText,
  },
  "--join": {
    value: "source",
    choices: JOINS,
    description: "Data to join with each response: input (its record) or none (default: none)",
    key: true,
  },
  "--invocation-timeout": {
    value: "seconds",
    description: "Maximum time for a response (default: 600)",
    key: true,
    parse: wholeNumber(TRANSFORM.invocationSeconds, "seconds"),
  },
  "--invocation-retries": {
    value: "number",
    description: "Maximum number of retries of a failed request (default: 3)",
    key: true,
    parse: wholeNumber(TRANSFORM.retries, undefined, 0),
  },
});
