/** What SageMaker allows of a transform's data, and what is mostly a mistake, each with its remedy. */

import { inOneLine } from "../text.ts";
import type { Difference } from "./differences.ts";
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
): readonly Difference[] {
  const filters = plainType(contentType) === "text/csv" ? [inputFilter, outputFilter] : [];
  return [
    ...firstOf(
      names.filter((name) => name.endsWith(".tar.gz")),
      "is sent to the model as data, though it looks like an archive",
      "Have data alone there.",
    ),
    ...firstOf(
      names.filter((name) => name.endsWith(".out")),
      "looks like the output of a transform, and is sent to the model as data",
      "Have outputs in another place: -o names one.",
    ),
    ...compression === "gzip" ? [] : firstOf(
      names.filter((name) => /(?<!\.tar)\.gz$/.test(name)),
      "looks compressed, and is sent as it is",
      "--compression gzip has it unpacked.",
    ),
    ...filters.filter((filter) => filter !== undefined && hasRangeEnd(parseFilter(filter)))
      .map((filter) => ({
        message: `AWS's guide counts the end of ${filter} in, JSONPath does not`,
        hint: "Here it counts. A list of columns means the same everywhere: $[1,2,3]",
      })),
  ];
}

const ODD_LINES: Readonly<Record<keyof OddLines, readonly [what: string, hint: string]>> = {
  header: [
    "looks like a header, and is sent as a record",
    "Leave it out: tail -n +2 FILE prints all other lines.",
  ],
  unclosed: [
    "ends inside quotation marks",
    "Lines are records, whatever is quoted: have no line ends in fields.",
  ],
  blank: ["is empty, and is sent as a record", "Leave it out: grep . FILE prints all other lines."],
  unanswered: [
    "begins a request whose answer has not a line for each record",
    "Give --accept text/csv, or --strategy single. A server that skips empty lines answers less, too.",
  ],
};

/** A file, as the user would type it, and what is odd about its lines. */
export interface OddFile {
  readonly name: string;
  readonly odd: OddLines;
}

export function lineDifferences(
  files: readonly OddFile[],
): readonly Difference[] {
  return (Object.keys(ODD_LINES) as (keyof OddLines)[]).flatMap((kind) => {
    const places = files.filter(({ odd }) => odd[kind] !== undefined)
      .map(({ name, odd }) => `${name}, line ${odd[kind]}`);
    return firstOf(places, ...ODD_LINES[kind]);
  });
}

/** A difference about the first of some places; how many more there are, it says. */
export function firstOf(
  places: readonly string[],
  what: string,
  hint: string,
): readonly Difference[] {
  const [first, ...others] = places;
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return [{ message: `${inOneLine(first)}${more} ${what}`, hint }];
}
