import { assertEquals, assertThrows } from "@std/assert";
import {
  closest,
  isObject,
  jsonProblem,
  listed,
  nameOfType,
  parseJson,
  printable,
  printableJson,
  sentences,
  terminalText,
} from "../../runtime/text.ts";
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

suite("a program's output", () => {
  for (
    const [what, text, shown] of [
      ["lines and tabs stay", "a\n\tb", "a\n\tb"],
      ["colours go", "\x1b[1;91mbroken\x1b[0m\n", "broken\n"],
      ["what moves the cursor goes", "a\x1b[2J\x1b[1;1Hb\x1b7\x1b(Bc", "abc"],
      ["titles and links go", "\x1b]0;mine\x07a\x1b]8;;http://x\x1b\\b", "ab"],
      ["half a sequence is no sequence", "a\x1b[3", "a?[3"],
      ["lines of Windows are lines", "a\r\nb\r\n", "a\nb\n"],
      ["what is overwritten goes", "x\n10 %\r50 %\r\r100 %\ny", "x\n100 %\ny"],
      ["a return at the end overwrites nothing", "x\r10 %\r\r", "10 %"],
      ["what hides or reorders letters is shown", "a\u202e\u200b\x07", "a???"],
    ] as const
  ) {
    it(what, () => assertEquals(terminalText(text), shown));
  }

  it("is made of megabytes in a line, and of returns, before the test's time is over", () => {
    const long = "x".repeat(4_000_000);
    assertEquals(terminalText(`${long}\r${long}`).length, long.length);
    assertEquals(terminalText("\r".repeat(4_000_000)), "");
  });
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

suite("sentences", () => {
  for (
    const [what, parts, text] of [
      [
        "puts a full stop behind each but the last",
        ["Add it", "Run a --b", "See c"],
        "Add it. Run a --b. See c",
      ],
      ["keeps the sign at the end of a part", ["A.", "B!", "C?", "D:", "E."], "A. B! C? D: E."],
      ["puts a full stop behind a bracket", ["A (b.)", "C"], "A (b.). C"],
      ["skips the parts that are missing or empty", [undefined, "A", "", "B", undefined], "A. B"],
      ["adds nothing to the only part", ["A", undefined], "A"],
      ["of no parts is empty", [undefined, ""], ""],
    ] as const
  ) {
    it(what, () => assertEquals(sentences(...parts), text));
  }
});

const NAMES = ["ec2_type", "instance_count", "spot", "tag", "execution_role", "s3_prefix", "train"];

const CASES: readonly (readonly [written: string, meant: string | undefined])[] = [
  ["ec2-type", "ec2_type"],
  ["EC2Type", "ec2_type"],
  ["ec2_typ", "ec2_type"],
  ["e2c_type", "ec2_type"],
  ["instanceCount", "instance_count"],
  ["instances_count", "instance_count"],
  ["exceution_roles", "execution_role"],
  ["exec_role", undefined],
  ["sopt", "spot"],
  ["tags", "tag"],
  ["stop", undefined],
  ["trian", "train"],
  ["name", undefined],
  ["version", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
];

suite("the closest name", () => {
  for (const [written, meant] of CASES) {
    it(`to "${written.slice(0, 20)}" is ${meant}`, () => {
      assertEquals(closest(written, NAMES), meant);
    });
  }
});

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

suite("the problem of a text that is not JSON", () => {
  const COMMAS = "JSON allows neither comments nor trailing commas";
  const problems: readonly (readonly [text: string, reason: string, hint: string])[] = [
    [
      String.raw`{"Regex": "loss=(\S+)"}`,
      "Bad escaped character in JSON at position 18 (line 1 column 19)",
      String.raw`Write each backslash twice, as in "loss=(\\S+)"`,
    ],
    ['{"lower": True}\n', "Unexpected token 'T'", "Write true, false or null in lower case"],
    [`${" ".repeat(99)}None`, "Unexpected token 'N'", "Write true, false or null in lower case"],
    [
      '{"a": 1,}',
      "Expected double-quoted property name in JSON at position 8 (line 1 column 9)",
      COMMAS,
    ],
    ["# a", "Unexpected token '#'", COMMAS],
  ];
  for (const [text, reason, hint] of problems) {
    it(`jsonProblem says how to correct ${JSON.stringify(text.trim())}`, () => {
      const error = assertThrows(() => parseJson(text), SyntaxError);
      assertEquals(jsonProblem(error), { reason, hint });
    });
  }
});

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
