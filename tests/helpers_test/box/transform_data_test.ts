import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { processingOf } from "../../helpers/box/jobs/transform/processing.ts";
import {
  assembled,
  batchesOf,
  linesOf,
  RecordError,
} from "../../helpers/box/jobs/transform/records.ts";
import { it, suite } from "../../helpers/suite.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function text(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}

/** A text, or the words of an error. */
function assertGives(work: () => string, expected: string | RegExp): void {
  if (typeof expected === "string") assertEquals(work(), expected);
  else assertMatch(assertThrows(work, RecordError).message, expected);
}

suite("the box's transforms split", () => {
  const lines: readonly (readonly [string, boolean, number, readonly string[]])[] = [
    ["a\nb\nc\n", true, 100, ["a\nb\nc\n"]],
    ["a\nb\nc", true, 4, ["a\nb\n", "c"]],
    ["a\nb\nc", false, 100, ["a\n", "b\n", "c"]],
    ["a\n\nb\n", false, 100, ["a\n", "\n", "b\n"]],
    ['"x\ny",1\n', false, 100, ['"x\n', 'y",1\n']],
    ["", true, 100, []],
  ];
  for (const [content, isMulti, limit, bodies] of lines) {
    it(`${JSON.stringify(content)} by line, ${isMulti ? limit : "one by one"}`, () => {
      const batches = batchesOf(linesOf(bytes(content)), { isMulti, limit, sent: (line) => line });
      assertEquals(batches.map(({ body }) => text(body)), bodies);
    });
  }

  it("no line that is longer than a request may be", () => {
    const split = () =>
      batchesOf(linesOf(bytes("12345\n")), { isMulti: true, limit: 5, sent: (line) => line });
    assertThrows(split, RecordError, "Too much data for max payload size");
  });

  it("and assemble what they do not split", () => {
    const answers = [bytes("a"), bytes("b\n")];
    assertEquals(text(assembled(answers, "None")), "ab\n");
    assertEquals(text(assembled(answers, "Line")), "a\nb\n");
  });
});

suite("the box's transforms filter", () => {
  const ROW = 'id,"x, y",3,4,5';
  const OBJECT = '{"id":7,"a":{"b":[1,2,3]},"c":[{"d":1},{"d":2}]}';
  /** Of a record: a filter, and what the model sees or what is wrong. */
  const rows: readonly (readonly [record: string, filter: string, seen: string | RegExp])[] = [
    [ROW, "$[1:]", '"x, y",3,4,5'],
    [ROW, "$[1:3]", '"x, y",3,4'],
    [ROW, "$[:1]", 'id,"x, y"'],
    [ROW, "$[0]", "id"],
    [ROW, "$[0, -1]", "id,5"],
    [ROW, "$[*]", ROW],
    [ROW, "$[5]", /^The index 5 is not within the 5 of the record$/],
    [ROW, "$[5:]", /^The index 5 is not within/],
    [ROW, "$[0:1,3:]", /only single range filters of format \(eg: \[1:5\]\) are supported/],
    ['a,b"c', "$[0]", /^Failed to parse input as CSV$/],
    [OBJECT, "$.id", "7"],
    [OBJECT, "$['id']", "7"],
    [OBJECT, "$.a.b[-1]", "3"],
    [OBJECT, "$.a.b[0:2]", "[1,2]"],
    [OBJECT, "$.a.['b']", "[1,2,3]"],
    [OBJECT, "$['id','a','z']", '{"id":7,"a":{"b":[1,2,3]}}'],
    [OBJECT, "$.c[*].d", "[1,2]"],
    [OBJECT, "$.a.*", "[[1,2,3]]"],
    [OBJECT, "$.z", /^There is no "z"$/],
    [OBJECT, "$['id','a.b']", /^Invalid JsonPath: /],
    [OBJECT, "$..b", /^Invalid JsonPath: /],
    ["{", "$.id", /^Failed to parse input as JSON$/],
  ];
  for (const [record, filter, seen] of rows) {
    it(`${record} by ${filter}`, () => {
      const ContentType = record.includes("{") ? "application/json" : "text/csv";
      const DataProcessing = { InputFilter: filter };
      const { input } = processingOf({ DataProcessing, TransformInput: { ContentType } })!;
      assertGives(() => input(record), seen);
    });
  }

  /** Of a record and its answer: the filter of both together, and what is kept. */
  const joins: readonly (readonly [string, string, string, kept: string | RegExp])[] = [
    ['1,"a"', "0.5", "$", '1,"a",0.5'],
    ["1,2", "0.5", "$[0,-1]", "1,0.5"],
    ["1,2", '0"5', "$", /^Failed to parse output from the algorithm as CSV$/],
    ['{"id":1}', '{"p":2}', "$", '{"id":1,"SageMakerOutput":{"p":2}}'],
    ['{"id":1}', "2", "$['id','SageMakerOutput']", '{"id":1,"SageMakerOutput":2}'],
    ['{"SageMakerOutput":1}', "2", "$", '{"SageMakerOutput":2}'],
    ["[{}]", "2", "$", '{"SageMakerInput":[{}],"SageMakerOutput":2}'],
    ["{}", "<html>", "$", /^Failed to parse output from the algorithm as JSON$/],
  ];
  for (const [record, answer, OutputFilter, kept] of joins) {
    it(`${record} and ${answer} together by ${OutputFilter}`, () => {
      const ContentType = record.includes("{") ? "application/jsonlines" : "text/csv";
      const DataProcessing = { OutputFilter, JoinSource: "Input" };
      const { output } = processingOf({ DataProcessing, TransformInput: { ContentType } })!;
      assertGives(() => output(record, answer), kept);
    });
  }
});
