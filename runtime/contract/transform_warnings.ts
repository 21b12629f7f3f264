/** Warnings about the data of a transform job that SageMaker accepts but that is usually a mistake. */

import { type Message, warning } from "../messages.ts";
import { inOneLine } from "../text.ts";
import { plainType, type Transform } from "./transform.ts";
import { hasRangeEnd, parseFilter } from "./transform_filters.ts";
import type { OddLines } from "./transform_records.ts";

export type DataShape = Pick<
  Transform,
  "contentType" | "compression" | "inputFilter" | "outputFilter"
>;

/** @param names of files or objects, as the user would type them. */
export function dataDifferences(
  names: readonly string[],
  { contentType, compression, inputFilter, outputFilter }: DataShape,
): readonly Message[] {
  const filters = plainType(contentType) === "text/csv" ? [inputFilter, outputFilter] : [];
  return [
    ...firstOf(
      names.filter((name) => name.endsWith(".tar.gz")),
      "looks like an archive, but is sent to the model as data",
      "Move archives out of the input, or replace them with the files that they contain",
    ),
    ...firstOf(
      names.filter((name) => name.endsWith(".out")),
      "looks like the output of a batch transform, but is sent to the model as data",
      "Move such files out of the input, and write outputs to another location with -o",
    ),
    ...compression === "gzip" ? [] : firstOf(
      names.filter((name) => /(?<!\.tar)\.gz$/.test(name)),
      "looks compressed, but is sent without decompression",
      "To decompress such files before they are sent, add --compression gzip",
    ),
    ...filters.filter((filter) => filter !== undefined && hasRangeEnd(parseFilter(filter)))
      .map((filter) =>
        warning(
          `SageMaker might exclude the end of range ${filter}, because JSONPath excludes it`,
          "List the columns instead, such as $[1,2,3]. Local runs include the end of a range.",
        )
      ),
  ];
}

const ODD_LINES: Readonly<Record<keyof OddLines, readonly [what: string, hint: string]>> = {
  header: [
    "looks like a header row, but is sent as a record",
    "Remove it: tail -n +2 FILE > NEW_FILE",
  ],
  unclosed: [
    "ends inside a quoted field",
    "Remove line breaks from fields: each line is a record, even inside quotation marks",
  ],
  blank: ["is empty, but is sent as a record", "Remove it: grep . FILE > NEW_FILE"],
  unanswered: [
    "starts a request whose response does not have one line per record",
    "Try --accept text/csv or --strategy single. Check whether the server skips empty lines.",
  ],
};

/** Path of a file, as the user would type it, and its unusual lines. */
export interface OddFile {
  readonly name: string;
  readonly odd: OddLines;
}

export function lineDifferences(
  files: readonly OddFile[],
): readonly Message[] {
  return (Object.keys(ODD_LINES) as (keyof OddLines)[]).flatMap((kind) => {
    const places = files.filter(({ odd }) => odd[kind] !== undefined)
      .map(({ name, odd }) => `${name}, line ${odd[kind]}`);
    return firstOf(places, ...ODD_LINES[kind]);
  });
}

/** Returns a warning about the first of some places and the number of the others. */
export function firstOf(
  places: readonly string[],
  what: string,
  hint: string,
): readonly Message[] {
  const [first, ...others] = places;
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return [warning(`${inOneLine(first)}${more} ${what}`, hint)];
}
