import { assertEquals } from "@std/assert";
import { wrap } from "../../../commands/render/wrap.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("broken lines", () => {
  for (
    const [what, text, columns, indent, lines] of [
      ["of what fits", "one two", 40, 0, "one two"],
      ["of what just fits", "0123456789 123456789", 20, 0, "0123456789 123456789"],
      ["between words", "0123456789 1234567890", 20, 0, "0123456789\n1234567890"],
      ["with an indent", "0123456789 0123456789", 24, 4, "0123456789\n    0123456789"],
      [
        "of a word that is too long",
        "a 01234567890123456789x b",
        20,
        0,
        "a\n01234567890123456789x\nb",
      ],
      ["of lines that are there", "one\n\ntwo", 40, 2, "one\n  \n  two"],
      [
        "at 20 columns in a narrower terminal",
        "0123456789 012345678",
        5,
        0,
        "0123456789 012345678",
      ],
      ["in no terminal", "one ".repeat(99).trim(), Infinity, 9, "one ".repeat(99).trim()],
    ] as const
  ) {
    it(what, () => assertEquals(wrap(text, columns, indent), lines));
  }
});
