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
import { duration, parseMediaType, size, wholeNumber } from "./parsers.ts";

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
    group: "Records and requests",
    rare: true,
    value: "type",
    choices: SPLITS,
    description: "How to split a file into records: line, recordio, tfrecord, or none (default: " +
      "line for CSV and JSON Lines, otherwise none)",
    key: true,
  },
  "--strategy": {
    group: "Records and requests",
    rare: true,
    value: "strategy",
    choices: STRATEGIES,
    description:
      "Records per request: single for one record, or multi for as many records as fit " +
      "(default: single for JSON, otherwise the server's setting, or multi)",
    key: true,
  },
  "--assemble": {
    group: "Records and requests",
    rare: true,
    value: "type",
    choices: ASSEMBLIES,
    description: "Text to add after each response in the result: line (a newline) or none " +
      "(default: line with --split line, otherwise none)",
    key: true,
  },
  "--max-payload": {
    group: "Records and requests",
    rare: true,
    value: "size",
    description: "Maximum size of a request, such as 6MB, or 0 for no limit (default: the " +
      "server's setting, or 6MB)",
    key: true,
    parse: size("MB", TRANSFORM.payload, 0),
  },
  "--max-concurrency": {
    group: "Records and requests",
    rare: true,
    value: "number",
    description: "Maximum number of concurrent requests (default: the server's setting, or 1)",
    key: true,
    parse: wholeNumber(undefined, undefined, 0),
  },
  "--compression": {
    group: "Records and requests",
    rare: true,
    value: "type",
    choices: COMPRESSIONS,
    description: "Compression of the data: gzip or none (default: none)",
    key: true,
  },
  "--input-filter": {
    group: "Records and requests",
    rare: true,
    value: "jsonpath",
    description: "Part of each record to send to the model, such as $[1:] for all but the first " +
      "column (default: all)",
    key: true,
    parse: parseFilterText,
  },
  "--output-filter": {
    group: "Records and requests",
    rare: true,
    value: "jsonpath",
    description:
      "Part of each record to keep in the result, such as $[0,-1] for the first and last " +
      "columns (default: all)",
    key: true,
    parse: parseFilterText,
  },
  "--join": {
    group: "Records and requests",
    value: "source",
    choices: JOINS,
    description: "Data to join with each response: input (the record in the request) or none " +
      "(default: none)",
    key: true,
  },
  "--invocation-timeout": {
    group: "Records and requests",
    rare: true,
    value: "duration",
    description: "Maximum time for a response (default: 10m)",
    key: true,
    parse: duration(TRANSFORM.invocationSeconds),
  },
  "--invocation-retries": {
    group: "Records and requests",
    rare: true,
    value: "number",
    description: "Maximum number of retries of a failed request (default: 3)",
    key: true,
    parse: wholeNumber(TRANSFORM.retries, undefined, 0),
  },
});
