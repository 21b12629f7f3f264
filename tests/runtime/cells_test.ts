import { assertEquals } from "@std/assert";
import { fit, fitParts, widthOf } from "../../runtime/cells.ts";
import { it, suite } from "../helpers/suite.ts";

suite("the width of text on a terminal", () => {
  for (
    const [text, width] of [
      ["", 0],
      ["abc", 3],
      ["é…✓", 3],
      ["e\u0301", 1],
      ["模型", 4],
      ["🎉", 2],
    ] as const
  ) {
    it(`${JSON.stringify(text)}: ${width}`, () => assertEquals(widthOf(text), width));
  }
});

suite("text that fits", () => {
  for (
    const [text, columns, expected] of [
      ["abc", 3, "abc"],
      ["abcd", 3, "ab…"],
      ["a  b", 3, "a…"],
      ["模型模型", 8, "模型模型"],
      ["模型模型", 7, "模型模…"],
      ["模型模型", 6, "模型…"],
      ["e\u0301".repeat(5), 5, "e\u0301".repeat(5)],
      ["a\nb\tc\x1b[2J", 20, "a?b?c?[2J"],
      ["abc", 1, "…"],
      ["abc", 0, ""],
      ["abc", -1, ""],
    ] as const
  ) {
    it(`${JSON.stringify(text)} in ${columns}`, () => assertEquals(fit(text, columns), expected));
  }

  for (
    const [columns, expected] of [
      [20, "12 MB, 3s left, fast"],
      [19, "12 MB, 3s left"],
      [13, "12 MB"],
      [4, "12…"],
    ] as const
  ) {
    it(`in ${columns}, as many parts as there is room for`, () => {
      assertEquals(fitParts(["12 MB", "3s left", "fast"], columns), expected);
    });
  }
});
