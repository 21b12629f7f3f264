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
    description: "Media type of the data, such as text/csv. Default: by the file's name.",
    key: true,
    parse: parseMediaType,
  },
  "--accept": {
    value: "type",
    description: "Media type of the answers. Default: that of the data, for lines of CSV and " +
      "JSON Lines; else the server's own.",
    key: true,
    parse: parseMediaType,
  },
  "--split": {
    value: "by",
    choices: SPLITS,
    description: "What a record is: line, recordio, tfrecord, or none: the whole file. Default: " +
      "line for CSV and JSON Lines, else none.",
    key: true,
  },
  "--strategy": {
    value: "strategy",
    choices: STRATEGIES,
    description: "Records of a request: multi (as many as fit) or single. Default: single for " +
      "JSON, else what the server says, else multi.",
    key: true,
  },
  "--assemble": {
    value: "by",
    choices: ASSEMBLIES,
    description: "How answers become a file: line (a line end after each) or none. Default: " +
      "line with --split line.",
    key: true,
  },
  "--max-payload": {
    value: "mb",
    description:
      "Size of a request at most, in MB; 0 is any. Default: what the server says, else 6.",
    key: true,
    parse: wholeNumber(TRANSFORM.payload, "MB", 0),
  },
  "--max-concurrency": {
    value: "number",
    description: "Requests at once. Default: what the server says, else 1.",
    key: true,
    parse: wholeNumber(undefined, undefined, 0),
  },
  "--compression": {
    value: "form",
    choices: COMPRESSIONS,
    description: "gzip for data that is compressed. Default: none.",
    key: true,
  },
  "--input-filter": {
    value: "jsonpath",
    description: "What the model gets of a record, such as $[1:] for all but the first column.",
    key: true,
    parse: parseFilterText,
  },
  "--output-filter": {
    value: "jsonpath",
    description: "What is kept of a record in the result, such as $[0,-1].",
    key: true,
    parse: parseFilterText,
  },
  "--join": {
    value: "with",
    choices: JOINS,
    description: "input puts each answer beside its record. Default: none.",
    key: true,
  },
  "--invocation-timeout": {
    value: "seconds",
    description: "How long an answer may take. Default: 600.",
    key: true,
    parse: wholeNumber(TRANSFORM.invocationSeconds, "seconds"),
  },
  "--invocation-retries": {
    value: "number",
    description: "How often a request that failed is sent again. Default: 3.",
    key: true,
    parse: wholeNumber(TRANSFORM.retries, undefined, 0),
  },
});
