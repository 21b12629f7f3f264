import { assertEquals } from "@std/assert";
import { dataDifferences, lineDifferences } from "../../../runtime/contract/transform_warnings.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Names, and the first words of the warnings. */
const NAMES: readonly (readonly [names: readonly string[], words: readonly string[]])[] = [
  [["a.csv", "b.json"], []],
  [["a.csv", "m.tar.gz"], [
    "m.tar.gz looks like an archive, but is sent to the model as data",
  ]],
  [["a.out", "b.out"], [
    "a.out (and 1 more) looks like the output of a batch transform, but is sent to the model as data",
  ]],
  [["a.csv.gz"], ["a.csv.gz looks compressed, but is sent without decompression"]],
];

const CSV = { contentType: "text/csv; charset=utf-8", compression: "none" } as const;

suite("what is mostly a mistake in a transform", () => {
  for (const [names, words] of NAMES) {
    it(`warns of ${names}`, () => {
      const found = dataDifferences(names, CSV);
      assertEquals(found.map(({ message }) => message), words);
    });
  }

  it("does not warn of compressed files that are unpacked", () => {
    assertEquals(dataDifferences(["a.csv.gz"], { ...CSV, compression: "gzip" }), []);
  });

  it("names the first place of each kind, and how many more there are", () => {
    const found = lineDifferences([
      { name: "a.csv", odd: { header: 1, blank: 7 } },
      { name: "b.csv", odd: { unclosed: 3, blank: 2 } },
      { name: "c.csv", odd: { blank: 9 } },
    ]);
    assertEquals(found.map(({ message }) => message), [
      "a.csv, line 1 looks like a header row, but is sent as a record",
      "b.csv, line 3 ends inside a quoted field",
      "a.csv, line 7 (and 2 more) is empty, but is sent as a record",
    ]);
  });

  it("warns of ranges with an end, in filters of CSV", () => {
    const warned = (
      inputFilter: string,
      outputFilter: string,
      contentType: string = CSV.contentType,
    ) => dataDifferences([], { ...CSV, contentType, inputFilter, outputFilter }).length;
    assertEquals(warned("$[1:4]", "$[:2]"), 2);
    assertEquals(warned("$[1:]", "$[1,2]"), 0);
    assertEquals(warned("$.a[1:4]", "$", "application/json"), 0);
  });
});
