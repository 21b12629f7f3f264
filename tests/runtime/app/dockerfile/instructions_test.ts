import { assertEquals } from "@std/assert";
import {
  copiesOf,
  instructionsOf,
  wordsOf,
} from "../../../../runtime/app/dockerfile/instructions.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** An instruction in a line: its name, its flags, its text. */
function shown(dockerfile: string): readonly string[] {
  return instructionsOf(dockerfile).map(({ name, flags, text }) =>
    [name, ...flags.map((flag) => `<${flag}>`), text].filter((word) => word !== "").join(" ")
  );
}

suite("the instructions of a Dockerfile", () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["lines", "FROM a\nRUN  b   c\n", ["FROM a", "RUN b c"]],
    ["small letters, Windows' lines, a mark of UTF-8", "\uFEFFfrom a\r\nrun b\r\n", [
      "FROM a",
      "RUN b",
    ]],
    ["comments and empty lines, also within", "# x\nRUN a \\\n# y\n\n  b\n  # z\nRUN c", [
      "RUN a b",
      "RUN c",
    ]],
    ["flags", "COPY --from=x --chown=1:1 a b --c", ["COPY <--from=x> <--chown=1:1> a b --c"]],
    [
      "a mount over several lines",
      "RUN --mount=type=cache,target=/c \\\n    --mount=type=bind,source=s,target=/t \\\n  pip",
      ["RUN <--mount=type=cache,target=/c> <--mount=type=bind,source=s,target=/t> pip"],
    ],
    ["spaces behind the backslash", "RUN a \\  \t\n b", ["RUN a b"]],
    ["a backslash that is one", "RUN a \\\\\nRUN b", ["RUN a \\\\", "RUN b"]],
    ["another escape", "# syntax=x/y:1\n# escape=`\nCOPY a c:\\\nRUN b `\n c", [
      "COPY a c:\\",
      "RUN b c",
    ]],
    ["an escape that comes too late", "FROM a\n# escape=`\nRUN b \\\n c", ["FROM a", "RUN b c"]],
    ["documents", "RUN <<EOF cat\nCOPY a b\nEOF\nRUN c", ["RUN <<EOF cat", "RUN c"]],
    ["two documents", "COPY <<A <<-'B' /x/\nFROM\nA\nFROM\n\tB\nRUN c", [
      "COPY <<A <<-'B' /x/",
      "RUN c",
    ]],
    ["a document without an end", "RUN <<EOF\nCOPY a b", ["RUN <<EOF"]],
    ["a last line that goes on", "RUN a \\", ["RUN a"]],
    ["nothing", "", []],
  ];
  for (const [title, dockerfile, expected] of rows) {
    it(title, () => assertEquals(shown(dockerfile), expected));
  }

  it("words come as a list, or between spaces", () => {
    const wordsIn = (line: string) => wordsOf(instructionsOf(line)[0]!);
    assertEquals(wordsIn('COPY ["a b", "c"]'), ["a b", "c"]);
    assertEquals(wordsIn("COPY [ab] c"), ["[ab]", "c"]);
    assertEquals(wordsIn("COPY [1] c"), ["[1]", "c"]);
    assertEquals(wordsIn(`COPY "a" 'b' c`), ["a", "b", "c"]);
    assertEquals(wordsIn("COPY"), []);
  });

  it("copies are what comes from the context", () => {
    const dockerfile =
      "FROM x AS one\nCOPY a b /c/\nADD d e\nCOPY --from=one f g\nRUN cp h i\nCOPY";
    assertEquals(copiesOf(instructionsOf(dockerfile)), [
      { sources: ["a", "b"], target: "/c/" },
      { sources: ["d"], target: "e" },
      { sources: [], target: "" },
    ]);
  });
});
