import { assertEquals } from "@std/assert";
import { blocksOf, findingsIn } from "../../../scripts/lint/prose.ts";
import { it, suite } from "../../helpers/suite.ts";

const words = (count: number): string => Array(count).fill("word").join(" ");

suite("findingsIn", () => {
  const unclear = [
    ["Nobody has named it", '"Nobody"'],
    ["somebody else's server", '"somebody"'],
    ["anybody can read it", '"anybody"'],
    ["an image of one's own", '"one\'s own"'],
    ["where that is so, it is said", '"is said"'],
    ["It is no model", '"It is no "'],
    ["that is no directory", '"that is no "'],
    ["this is no file", '"this is no "'],
    ["it is not to be read", '"is not to be"'],
    ["the second step falls away", '"falls away"'],
    ["mlcli reads it, too. Then it ends", '", too."'],
    ["mlcli reads it, too", '", too"'],
    [`First. ${words(31)}.`, "31 words in a sentence"],
    [`${words(27)} e.g. NAME.json of 2.5 GB.`, "32 words in a sentence"],
  ] as const;
  for (const [text, expected] of unclear) {
    it(`refuses "${text.slice(0, 40)}"`, () => {
      const findings = findingsIn(text);
      assertEquals(findings.length, 1);
      assertEquals(findings[0]!.slice(0, expected.length), expected);
    });
  }

  const clear = [
    "the image is no longer used, and that is no longer an error",
    "too many files, too large, and one more",
    `${words(30)}. ${words(30)}! ${words(30)}?`,
  ];
  for (const text of clear) {
    it(`accepts "${text.slice(0, 40)}"`, () => {
      assertEquals(findingsIn(text), []);
    });
  }
});

suite("blocksOf", () => {
  it("finds each paragraph, list item, cell and heading with its line, without code", () => {
    const markdown = [
      "# Heading",
      "",
      "One paragraph",
      "on two lines with `code` and [a link](there is nobody).",
      "```sh",
      "nobody reads code",
      "```",
      "- an item",
      "  that goes on",
      "  1. another item",
      "| a cell | `code` |",
      "<!-- nobody reads",
      "a comment -->",
      "> a quote",
    ].join("\n");
    assertEquals(blocksOf(markdown), [
      { text: "Heading", line: 1 },
      { text: "One paragraph on two lines with CODE and [a link].", line: 3 },
      { text: "an item that goes on", line: 8 },
      { text: "another item", line: 10 },
      { text: "", line: 11 },
      { text: "a cell", line: 11 },
      { text: "CODE", line: 11 },
      { text: "", line: 11 },
      { text: "a quote", line: 14 },
    ]);
  });
});
