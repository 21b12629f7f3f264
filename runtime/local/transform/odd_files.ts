/** What is odd about the data of a transform, or about the answers: a warning each, with its remedy. */

import type { Difference } from "../../contract/differences.ts";
import { plainType, type Transform } from "../../contract/transform.ts";
import { hasRangeEnd, parseFilter } from "../../contract/transform_filters.ts";
import { listed, shellWord } from "../../text.ts";
import type { Odd } from "./work.ts";

export class OddFiles {
  readonly #found: { readonly name: string; readonly odd: Odd }[] = [];

  constructor(private readonly transform: Transform) {}

  add(name: string, odd: Odd): void {
    this.#found.push({ name, odd });
  }

  differences(): readonly Difference[] {
    const { contentType, inputFilter, outputFilter } = this.transform;
    const mismatch = this.#found.find(({ odd }) => odd.mismatch)?.odd.mismatch;
    const ranges = [inputFilter, outputFilter].filter((text) =>
      text !== undefined && plainType(contentType) === "text/csv" && hasRangeEnd(parseFilter(text))
    );
    return [
      ...this.#those(
        "header",
        "looks like a header, which is sent as a record",
        ([name]) => `Remove it: tail -n +2 ${shellWord(name!)}`,
      ),
      ...this.#those(
        "unclosed",
        "is cut inside of quotation marks",
        () => "Lines are records, whatever is quoted: have no line ends in fields.",
      ),
      ...this.#those(
        "blank",
        "is empty, and sent as a record",
        () => "Remove empty lines: grep -v '^$'",
      ),
      ...this.#those(
        "mismatch",
        `has ${mismatch?.lines} lines for ${mismatch?.records} records`,
        () =>
          "With several records in a request, the answer needs a line for each: --accept text/csv, " +
          "or --strategy single.",
        "an answer",
      ),
      ...ranges.map((text) => ({
        message: `AWS's guide counts the end of ${text} in, JSONPath does not`,
        hint: "Here it counts. A list of columns means the same everywhere: $[1,2,3]",
      })),
    ];
  }

  #those(
    kind: keyof Odd,
    what: string,
    hint: (names: readonly string[]) => string,
    subject?: string,
  ): readonly Difference[] {
    const those = this.#found.filter(({ odd }) => odd[kind] !== undefined);
    if (those.length === 0) return [];
    const names = those.map(({ name }) => name);
    const places = those.map(({ name, odd }) =>
      typeof odd[kind] === "number" ? `${name}, line ${odd[kind]}` : name
    );
    const message = `${listed(places)}: ${subject ?? "it"} ${what}`;
    return [{ message, hint: hint(names) }];
  }
}
