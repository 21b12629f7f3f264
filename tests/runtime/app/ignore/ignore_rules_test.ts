import { assert, assertEquals, assertThrows } from "@std/assert";
import { MlcliError } from "../../../../runtime/errors.ts";
import { parseIgnoreRules } from "../../../../runtime/app/ignore/ignore_rules.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Text of a `.dockerignore`, what it ignores, what it does not. */
const RULES: readonly (readonly [text: string, ignored: string[], kept: string[]])[] = [
  ["", [], ["a", "a/b"]],
  ["# a\n\n  \n", [], ["a", "# a"]],
  ["a", ["a", "a/b/c"], ["b", "b/a", "A", "ab"]],
  ["/a/\n", ["a", "a/b"], ["b/a"]],
  ["./a/../b", ["b"], ["a"]],
  ["\uFEFFa\r\nb/*.csv\r\n", ["a", "b/x.csv"], ["b/c/x.csv", "b/x.csv.gz"]],
  ["**/__pycache__", ["__pycache__", "a/b/__pycache__/x.pyc"], ["a/pycache"]],
  ["*.pyc", ["a.pyc"], ["a/b.pyc"]],
  ["a?", ["ab"], ["a", "abc"]],
  ["[a-c].txt", ["b.txt"], ["d.txt"]],
  ["*\n!a/keep.txt", ["a", "a/drop.txt", "b"], ["a/keep.txt"]],
  ["a\n!a/b\na/b/c", ["a/x", "a/b/c"], ["a/b", "a/b/d"]],
  ["data (1).csv\na+b\n{x}|$y", ["data (1).csv", "a+b", "{x}|$y"], ["data 1.csv", "aab", "{x}"]],
  ["\\[x]", ["[x]"], ["x"]],
  ["ü b", ["ü b"], ["ü"]],
  ["a/**/b", ["a/b", "a/x/y/b", "a/x/b/c"], ["ab", "a/xb", "x/a/b"]],
  ["a/**", ["a/b", "a/b/c"], ["a", "ab"]],
  ["**b", ["b", "a/b"], ["ab", "a/ab"]],
  ["a**b", ["ab", "ax/b"], ["axb"]],
  ["***/b", ["a/b", "ab/c/b"], ["b"]],
  ["a*b*c", ["abc", "axbxc", "abbcc/x"], ["ab", "abxcd", "ax/bc"]],
  ["[^a]b\n[0-9-]c\n[]x]d", ["bb", "-c", "5c", "]d", "xd"], ["ab", "b", "xc", "d"]],
  ["a\\*b\n[\\]]c", ["a*b", "]c"], ["axb", "\\c"]],
  ["?b", ["éb", "😀b"], ["b", "/b"]],
  ["a^b", ["a^b"], ["b"]],
  ["!\n!/\na", ["a"], ["b"]],
  // As a regular expression this takes years.
  [`**/${"*a".repeat(20)}b`, [`x/${"a".repeat(30)}b`], [`x/${"a".repeat(200)}`]],
  [`${"**/a/".repeat(20)}b`, [`${"a/".repeat(30)}b`], ["a/".repeat(200)]],
];

suite("parseIgnoreRules", () => {
  for (const [text, ignored, kept] of RULES) {
    it(`takes ${JSON.stringify(text).slice(0, 50)}`, () => {
      const rules = parseIgnoreRules(text);
      const found = [...ignored, ...kept].filter((path) => rules.ignores(path));
      assertEquals(found, ignored);
    });
  }

  it("takes a comment behind a byte order mark for one", () => {
    assertEquals(parseIgnoreRules("\uFEFF# [draft\na").ignores("a"), true);
  });

  it("names a broken pattern", () => {
    const error = assertThrows(() => parseIgnoreRules("a\n[b\n"), MlcliError, '"[b"');
    assertEquals(error.name, "MlcliError");
    for (const broken of ["[", "a/[z-a]", "[^", "![]"]) {
      assertThrows(() => parseIgnoreRules(broken), MlcliError, `"${broken}"`);
    }
  });

  it("reads a name in any directory as it reads other wildcards", () => {
    const paths = ["x", "a/x", "a/x/b", "ax", "xa", "a/b/x.y", "x.y/b", ".y", "a/.y", "x.yz", "a"];
    for (
      const [simple, same] of [
        ["**/x", "**/[x]"],
        ["**/*.y", "**/*.[y]"],
        ["**/.y", "**/[.]y"],
        ["!**/x\n**/x", "!**/[x]\n**/[x]"],
      ] as const
    ) {
      const [one, other] = [parseIgnoreRules(simple), parseIgnoreRules(same)];
      assertEquals(paths.filter(one.ignores), paths.filter(other.ignores), simple);
      assert(paths.some(one.ignores), simple);
    }
  });

  it("refuses more wildcards than a path could be tried with", () => {
    const lines = Array.from({ length: 1500 }, (_, index) => `**/*.${index + 100_000}`);
    const error = assertThrows(() => parseIgnoreRules(lines.join("\n")), MlcliError);
    assertEquals(error.message, 'Too many wildcards in .dockerignore: "**/*.101489"');
    // Paths without one may be many.
    const paths = lines.map((line) => line.slice("**/*".length));
    assertEquals(parseIgnoreRules(paths.join("\n")).ignores(".101000"), true);
  });

  const MAY_HOLD: readonly (readonly [text: string, folder: string, expected: boolean])[] = [
    ["a", "a", false],
    ["*\n!a/b/c.txt", "a", true],
    ["*\n!a/b/c.txt", "a/b", true],
    ["*\n!a/b/c.txt", "a/bb", false],
    ["*\n!a/b/c.txt", "d", false],
    ["*\n!a/b", "a/b/c", true],
    ["*\n!a/*/c.txt", "a/b", true],
    ["*\n!a/*/c.txt", "d", false],
    ["*\n!**/c.txt", "d/e", true],
    ["*\n! /a/b", "a", true],
  ];
  for (const [text, folder, expected] of MAY_HOLD) {
    it(`${expected ? "looks" : "does not look"} into ${folder} by ${JSON.stringify(text)}`, () => {
      assertEquals(parseIgnoreRules(text).mayHoldException(folder), expected);
    });
  }
});
