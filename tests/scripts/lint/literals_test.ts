import { assertEquals } from "@std/assert";
import { textsOfPython, textsOfTypeScript } from "../../../scripts/lint/literals.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("textsOfTypeScript", () => {
  it("returns each text once, whole, with X for expressions and the texts inside those", () => {
    const source = [
      "// not a comment",
      'const one = "one " + name + (" more " + `and ${count} ${"inside"}`);',
      'say(`two ${isLast ? "last" : "first"}\nline`);',
    ].join("\n");
    assertEquals(textsOfTypeScript(source, "a.ts"), [
      { text: "one X more and X inside", line: 2 },
      { text: "two X", line: 3 },
      { text: "line", line: 3 },
      { text: "last", line: 3 },
      { text: "first", line: 3 },
    ]);
  });

  it("returns the texts between the elements of a page", () => {
    const texts = textsOfTypeScript('<p title="a title">a text <b>{bold}</b></p>', "a.tsx");
    assertEquals(texts.map(({ text }) => text).filter((text) => text !== ""), [
      "a title",
      "a text",
    ]);
  });
});

suite("textsOfPython", () => {
  it("returns texts with their lines, but neither docstrings nor comments", () => {
    const source = '"""A docstring\nof two lines."""\nraise Error("one \\"two\\"")  # "three"\n';
    assertEquals(textsOfPython(source), [{ text: 'one \\"two\\"', line: 3 }]);
  });
});
