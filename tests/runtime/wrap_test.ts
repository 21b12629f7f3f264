import { assertEquals } from "@std/assert";
import { wrap } from "../../runtime/wrap.ts";
import { it, suite } from "../helpers/suite.ts";

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
      ["between commands", "Run mlcli build first", 20, 0, "Run mlcli build\nfirst"],
      ["around a command", "Then run mlcli local train.", 20, 0, "Then run\nmlcli local train."],
      [
        "around all of a command",
        "Try: mlcli -t v2 local train --env A=b -- --rows 5, or not",
        30,
        0,
        "Try:\nmlcli -t v2 local train --env A=b -- --rows 5,\nor not",
      ],
      [
        "around a command with a name",
        "(mlcli init demo) makes it, and nothing else",
        20,
        0,
        "(mlcli init demo)\nmakes it, and\nnothing else",
      ],
      [
        "after a command, where a sentence goes on",
        "mlcli build before you push it",
        20,
        0,
        "mlcli build before\nyou push it",
      ],
      [
        "around a line of a Dockerfile",
        "Add it: COPY ${APP}/a/ /opt/a/",
        20,
        0,
        "Add it:\nCOPY ${APP}/a/ /opt/a/",
      ],
      [
        "around the beginning of one that a sentence goes on behind",
        "A line ARG X, in a stage",
        20,
        0,
        "A line ARG X, in a\nstage",
      ],
      ["in no terminal", "one ".repeat(99).trim(), Infinity, 9, "one ".repeat(99).trim()],
    ] as const
  ) {
    it(what, () => assertEquals(wrap(text, columns, indent), lines));
  }
});
