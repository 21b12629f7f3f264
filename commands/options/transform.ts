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
import { each, options } from "./option.ts";
import { duration, parseMediaType, size, wholeNumber } from "./parsers.ts";

function parseFilterText(text: string): string {
  parseFilter(text);
  return text;
}

export const transformOptions = options({
  "--content-type TYPE": {
    description: "Content type of the data, such as text/csv (default: from the file name)",
    key: "transform",
    parse: parseMediaType,
  },
  "--accept TYPE": {
    description: "Content type of the responses (default: the type of the data if it is CSV or " +
      "JSON Lines, otherwise the server's choice)",
    key: "transform",
    parse: parseMediaType,
  },
  ...each({ group: "Records and requests", rare: true, key: "transform" }, {
    "--split TYPE": {
      choices: SPLITS,
      description:
        "How to split a file into records: line, recordio, tfrecord, or none (default: " +
        "line for CSV and JSON Lines, otherwise none)",
    },
    "--strategy STRATEGY": {
      choices: STRATEGIES,
      description:
        "Records per request: single for one record, or multi for as many records as fit " +
        "(default: single for JSON, otherwise the server's setting, or multi)",
    },
    "--assemble TYPE": {
      choices: ASSEMBLIES,
      description: "Text to add after each response in the result: line (a newline) or none " +
        "(default: line with --split line, otherwise none)",
    },
    "--max-payload SIZE": {
      description: "Maximum size of a request, such as 6MB, or 0 for no limit (default: the " +
        "server's setting, or 6MB)",
      parse: size("MB", TRANSFORM.payload, 0),
    },
    "--max-concurrency NUMBER": {
      description: "Maximum number of concurrent requests (default: the server's setting, or 1)",
      parse: wholeNumber(undefined, undefined, 0),
    },
    "--compression TYPE": {
      choices: COMPRESSIONS,
      description: "Compression of the data: gzip or none (default: none)",
    },
    "--input-filter JSONPATH": {
      description:
        "Part of each record to send to the model, such as $[1:] for all but the first " +
        "column (default: all)",
      parse: parseFilterText,
    },
    "--output-filter JSONPATH": {
      description:
        "Part of each record to keep in the result, such as $[0,-1] for the first and last " +
        "columns (default: all)",
      parse: parseFilterText,
    },
  }),
  ...each({ group: "Records and requests", key: "transform" }, {
    "--join SOURCE": {
      choices: JOINS,
      description: "Data to join with each response: input (the record in the request) or none " +
        "(default: none)",
    },
    "--invocation-timeout DURATION": {
      rare: true,
      description: "Maximum time for a response (default: 10m)",
      parse: duration(TRANSFORM.invocationSeconds),
    },
    "--invocation-retries NUMBER": {
      rare: true,
      description: "Maximum number of retries of a failed request (default: 3)",
      parse: wholeNumber(TRANSFORM.retries, undefined, 0),
    },
  }),
});
