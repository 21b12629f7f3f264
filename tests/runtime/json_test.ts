import { assertEquals, assertThrows } from "@std/assert";
import { isObject, nameOfType, parseJson } from "../../runtime/json.ts";
import { it, suite } from "../helpers/suite.ts";

/** JSON texts, what they say, and the name of its type. */
const VALUES: readonly (readonly [text: string, value: unknown, type: string])[] = [
  ['{"a": 1}', { a: 1 }, "an object"],
  ["\uFEFF{}", {}, "an object"],
  ["[1]", [1], "an array"],
  ["null", null, "null"],
  ["1.50", 1.5, "a number"],
  ['"a\uFEFF"', "a\uFEFF", "a string"],
  ["true", true, "a boolean"],
];

suite("JSON of others", () => {
  for (const [text, value, type] of VALUES) {
    it(`${JSON.stringify(text)} is ${type}`, () => {
      assertEquals(parseJson(text), value);
      assertEquals([nameOfType(value), isObject(value)], [type, type === "an object"]);
    });
  }

  for (const text of ["", "{", "\uFEFF\uFEFF{}", " \uFEFF{}"]) {
    it(`${JSON.stringify(text)} is none`, () => {
      assertThrows(() => parseJson(text), SyntaxError);
    });
  }

  it("a reviver gets a number as it is written", () => {
    const written = parseJson("[1.50]", (_, value, { source }) => source ?? value);
    assertEquals(written, ["1.50"]);
  });
});
