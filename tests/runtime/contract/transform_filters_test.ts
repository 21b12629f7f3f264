import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../runtime/errors.ts";
import {
  filteredRecord,
  hasRangeEnd,
  joinedRecord,
  parseFilter,
  UnfitRecord,
} from "../../../runtime/contract/transform_filters.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A filter, a record, and what the filter takes of it. */
const CSV: readonly (readonly [filter: string, record: string, taken: string])[] = [
  ["$", "1,2,3", "1,2,3"],
  ["$[1:]", "7,5.1,3.50", "5.1,3.50"],
  ["$[0]", "7,5.1", "7"],
  ["$[-1]", "7,5.1", "5.1"],
  ["$[0,-1]", "7,5.1,a", "7,a"],
  ["$[1:4]", "1,2,3,4,5,6", "2,3,4,5"],
  ["$[:-2]", "1,2,3,4", "1,2,3"],
  ["$[1:]", '7,"a,b",c', '"a,b",c'],
  ["$[1]", 'a,"b,""c""",', '"b,""c"""'],
  ["$[2]", 'a,"b,""c""",', ""],
];

const JSON_RECORDS: typeof CSV = [
  [
    "$.features",
    '{"id": 1, "features": [1.0, 12345678901234567890]}',
    "[1.0,12345678901234567890]",
  ],
  ["$.a.b", '{"a": {"b": "x"}}', '"x"'],
  [
    "$['id','SageMakerOutput']",
    '{"x": 1, "id": 2, "SageMakerOutput": {"y": 3}}',
    '{"id":2,"SageMakerOutput":{"y":3}}',
  ],
  ["$.a.['b','c']", '{"a": {"b": 1, "c": 2, "d": 3}}', '{"b":1,"c":2}'],
  ["$.*", '{"a": 1, "b": [2]}', "[1,[2]]"],
  ["$.a[1:2]", '{"a": [1, 2, 3]}', "[2]"],
  ["$.a[1:]", '{"a": [1, 2, 3]}', "[2,3]"],
  ["$[-1]", "[1, 2]", "2"],
];

/** What CreateTransformJob refuses. */
const REFUSED: readonly (readonly [filter: string, words: string])[] = [
  ["features", "begin with $"],
  ["$.a_b", '"_"'],
  ["$['a_b']", '"_"'],
  ["$[0,5:]", "only one range"],
  ["$[0:2,5:7]", "only one range"],
  ["$[1-2:3]", "only one range"],
  ["$[5-:]", "only one range"],
  ["$[*].a", "a selection of several elements must"],
  ["$['a','b'].c", "a selection of several elements must"],
  ["$..a", "not a supported operator"],
  ["$[?(@.a)]", "not a supported operator"],
  ["$[a]", "not a supported operator"],
  ["$[]", "not a supported operator"],
  [`$['${"a".repeat(60)}']`, "longer than 63 characters"],
];

const UNFIT: readonly (readonly [type: string, filter: string, record: string, words: string])[] = [
  ["text/csv", "$[3]", "1,2", "no element 3 (length 2)"],
  ["text/csv", "$[-3]", "1,2", "no element -3 (length 2)"],
  ["text/csv", "$[2:]", "1,2", "no element 2 (length 2)"],
  ["text/csv", "$[-3:]", "1,2", "no element -3 (length 2)"],
  ["text/csv", "$.a", "1,2", "the value is not a JSON object"],
  ["application/json", "$.a", '{"b": 1}', 'no key "a"'],
  ["application/json", "$.toString", "{}", 'no key "toString"'],
  ["application/json", "$.a", "1", "the value is not a JSON object"],
  ["application/json", "$[0]", '{"a": 1}', "the value is not a JSON array"],
  ["application/jsonlines", "$", "{oops", "not JSON"],
];

suite("filters and joins of a transform", () => {
  for (const [isCsv, rows] of [[true, CSV], [false, JSON_RECORDS]] as const) {
    for (const [filter, record, taken] of rows) {
      it(`${filter} of ${record}`, () => {
        assertEquals(filteredRecord(record, parseFilter(filter), isCsv), taken);
      });
    }
  }

  for (const [filter, words] of REFUSED) {
    it(`refuses ${filter}`, () => {
      assertThrows(() => parseFilter(filter), UsageError, words);
    });
  }

  for (const [type, filter, record, words] of UNFIT) {
    it(`${type} ${record} has no ${filter}`, () => {
      const take = () => filteredRecord(record, parseFilter(filter), type === "text/csv");
      assertThrows(take, UnfitRecord, words);
    });
  }

  it("joins a record with its answer", () => {
    const json = (record: string, answer: string) => joinedRecord(record, answer, false);
    assertEquals(joinedRecord("1,2", "0.5", true), "1,2,0.5");
    assertEquals(json('{"a": 1.50}', "[0.10]"), '{"a":1.50,"SageMakerOutput":[0.10]}');
    assertEquals(json('{"SageMakerOutput": 1}', "2"), '{"SageMakerOutput":2}');
    assertEquals(json("[1]", '{"p": 2}'), '{"SageMakerInput":[1],"SageMakerOutput":{"p":2}}');
    assertEquals(json("1.0", "2.0"), '{"SageMakerInput":1.0,"SageMakerOutput":2.0}');
  });

  it("knows the ranges of which the guide and JSONPath think differently", () => {
    const rows = ["$[1:4]", "$[:-1]", "$[1:]", "$[1,2]", "$"].map((text) =>
      hasRangeEnd(parseFilter(text))
    );
    assertEquals(rows, [true, true, false, false, false]);
  });
});
