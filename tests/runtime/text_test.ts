import { assertEquals } from "@std/assert";
import { listed, printable, printableJson } from "../../runtime/text.ts";
import { it, suite } from "../helpers/suite.ts";

suite("text for a terminal", () => {
  for (
    const [what, text, shown] of [
      ["letters, signs and emoji", "a-Ü ß 日本 🐳", "a-Ü ß 日本 🐳"],
      ["lines and tabs", "a\n\tb", "a\n\tb"],
      ["what a terminal obeys", "\x1b[2Ja\rb\x07\x9b1m\x7f", "?[2Ja?b??1m?"],
      ["what turns the order round", "a\u202eb\u2066c\u200fd", "a?b?c?d"],
      ["what cannot be seen", "a\u200bb\ufeffc", "a?b?c"],
      ["lines of another kind", "a\u2028b\u2029c", "a?b?c"],
    ] as const
  ) {
    it(what, () => assertEquals(printable(text), shown));
  }
});

suite("printableJson", () => {
  it("writes what a terminal obeys so that it means the same", () => {
    const value = { "a\x1b[2J\u009b\u202e": ["\u{e0041}\n", "ä\u2028"] };
    const text = printableJson(value);
    assertEquals(
      text,
      '{"a\\u001b[2J\\u009b\\u202e":["\\udb40\\udc41\\n","ä\\u2028"]}',
    );
    assertEquals(JSON.parse(text), value);
  });

  it("keeps the lines of an indented text", () => {
    assertEquals(printableJson([1, "\u200b"], 2), '[\n  1,\n  "\\u200b"\n]');
  });
});

suite("listed", () => {
  it("names the first three", () => {
    const rows = [
      [[], ""],
      [["a"], "a"],
      [["a", "b", "c"], "a, b, c"],
      [["a", "b", "c", "d"], "a, b, c and 1 more"],
      [["a", "b", "c", "d", "e"], "a, b, c and 2 more"],
      [["a\nerror: b", "c\td", "\x1b[2J\u202e"], "a?error: b, c?d, ?[2J?"],
    ] as const;
    for (const [names, text] of rows) assertEquals(listed(names), text);
  });
});
