/** What is odd about the data of a transform, or about the answers: a warning each, with its remedy. */

import type { Difference } from "../../contract/differences.ts";
import type { Transform } from "../../contract/transform.ts";
import { filterDifferences, firstOf, lineDifferences } from "../../contract/transform_warnings.ts";
import type { Odd } from "./work.ts";

/** @param files as the user would type them. */
export function oddDifferences(
  files: readonly { readonly name: string; readonly odd: Odd }[],
  transform: Transform,
): readonly Difference[] {
  const mismatches = files.flatMap(({ name, odd: { mismatch } }) =>
    mismatch ? [{ name, ...mismatch }] : []
  );
  const [{ lines = 0, records = 0 } = {}] = mismatches;
  return [
    ...lineDifferences(files),
    ...firstOf(
      mismatches.map(({ name }) => name),
      `has an answer of ${lines === 1 ? "1 line" : `${lines} lines`} for ${records} records`,
      "With several records in a request, the answer needs a line for each: --accept text/csv, or " +
        "--strategy single.",
    ),
    ...filterDifferences(transform),
  ];
}
