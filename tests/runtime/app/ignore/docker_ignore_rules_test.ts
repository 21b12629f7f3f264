import { assertEquals } from "@std/assert";
import { parseIgnoreRules } from "../../../../runtime/app/ignore/ignore_rules.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Text of a `.dockerignore`, what it ignores, what it does not. */
type Row = readonly [text: string, ignored: readonly string[], kept: readonly string[]];

/**
 * What Docker makes of it: each row was put to github.com/moby/patternmatcher v0.6.0 (`ReadAll` of
 * its ignorefile, then `MatchesOrParentMatches`), and this is its answer.
 */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "lines": [
    // Only in the first column a # begins a comment.
    [" #a", ["#a", "#a/b"], ["a", " #a"]],
    ["#a\n\t#b", ["#b"], ["#a", "a", "b"]],
    ["!#a\n##", [], ["#a", "#", "##"]],
    ["a # b", ["a # b"], ["a", "b", "# b"]],
    ["a#b", ["a#b"], ["a"]],
    ["\uFEFF#a\nb", ["b"], ["#a", "a"]],
    ["\uFEFF!a\na", ["a"], ["b"]],
    ["  a  \n\tb\t", ["a", "b"], [" a", "a  "]],
    ["a b ", ["a b"], ["a", "b", "a b "]],
    ["#x\r\na\r\n \r\n!a/b\r\n", ["a", "a/c"], ["a/b", "x", "\r", " "]],
    ["a\r\n", ["a"], ["a\r"]],
    ["\n\n \t\n", [], ["a", " ", "\t"]],
  ],
  "paths": [
    ["a/", ["a", "a/b"], ["ab", "b/a"]],
    ["a//b/", ["a/b", "a/b/c"], ["a", "b"]],
    ["a/./b", ["a/b"], ["a"]],
    ["/a/../b/", ["b", "b/c"], ["a", "a/b"]],
    ["../a", [], ["a", "b/a"]],
    [".", [], ["a", ".a"]],
    ["/", [], ["a", "a/b"]],
    ["//a", ["a"], ["b/a"]],
    [".a", [".a", ".a/b"], ["a", "b/.a"]],
    ["a/b", ["a/b", "a/b/c"], ["a", "a/bc", "x/a/b"]],
  ],
  "wildcards": [
    ["*", ["a", ".a", "a/b"], []],
    ["*/", ["a", "a/b"], []],
    ["*/b", ["a/b", "a/b/c"], ["b", "x/a/b", "a/bc"]],
    ["*/*/c", ["a/b/c"], ["c", "b/c", "a/b/d/c"]],
    ["*.c", ["a.c", ".c", "a.c/d"], ["ac", "b/a.c", "a.cc"]],
    ["a.*", ["a.c", "a.", "a.b/c"], ["a", "ab", "a/b"]],
    ["a*", ["a", "ab", "a/b", "ab/c"], ["ba", "b/a"]],
    ["*a*", ["a", "bab"], ["b", "b/a"]],
    ["?", ["a", "a/bc"], ["ab", ""]],
    ["a?c", ["abc", "a.c"], ["ac", "a/c", "abbc"]],
    ["[ab]c", ["ac", "bc", "ac/d"], ["c", "abc", "[ab]c"]],
    // Another shell's way to exclude; Go's way is [^a].
    ["[!a]b", ["!b", "ab"], ["cb"]],
    ["[^a-c]d", ["xd"], ["ad", "bd", "d"]],
    ["a\\?b\n\\*c", ["a?b", "*c"], ["axb", "xc"]],
    ["\\#a\n\\!b", ["#a", "!b"], ["a", "b"]],
    ["a(b)|c\n$d\n{e,f}", ["a(b)|c", "$d", "{e,f}"], ["ab", "c", "d", "e"]],
    ["*.(c", ["a.(c"], ["a.c"]],
    ["*a+", ["xa+"], ["xaa", "xa"]],
  ],
  "directories of any number": [
    ["**", ["a", ".a", "a/b/c"], []],
    ["**/", ["a", "a/b"], []],
    ["**/a", ["a", "b/a", "b/c/a/d"], ["ab", "ba", "b/ba"]],
    ["/**/a", ["a", "b/a"], ["ab"]],
    ["**/*.c", ["a.c", "b/a.c", ".c", "b/c/.c/d"], ["ac", "b/c"]],
    ["**/a/*.c", ["a/b.c", "x/y/a/b.c"], ["a", "b.c", "a/x/b.c"]],
    ["a/**/", ["a/b", "a/b/c"], ["a", "ab"]],
    ["a/**/b/**", ["a/b/c", "a/x/b/c"], ["a/b", "a/c"]],
    ["**/.*", [".a", "b/.a", "b/.a/c"], ["a", "b/a.b"]],
    ["**/[ab]", ["a", "x/b"], ["c", "xa"]],
    ["**/a/**/b", ["a/b", "x/a/y/z/b"], ["b", "a/xb"]],
  ],
  "exceptions": [
    ["!a", [], ["a", "b"]],
    ["*\n!a", ["b", "b/a"], ["a", "a/b"]],
    ["*\n! a", ["b"], ["a", "a/b"]],
    ["*\n !\ta ", ["b"], ["a"]],
    ["*\n!/a/", ["b"], ["a", "a/b"]],
    ["*\n!./b/../a", ["b"], ["a"]],
    // The last line that fits says it.
    ["!a\na", ["a"], ["b"]],
    ["!a/b\na", ["a", "a/b"], []],
    ["a\n!a\na", ["a"], []],
    ["a\n!a/b\na/b/c\n!a/b/c/d", ["a", "a/x", "a/b/c", "a/b/c/e"], ["a/b", "a/b/c/d"]],
    ["a\n!**/keep", ["a", "a/x"], ["a/keep", "a/x/keep", "a/keep/y"]],
    ["*.md\n!README.md", ["a.md"], ["README.md", "docs/a.md"]],
    ["*.md\n!README*.md\nREADME-secret.md", ["a.md", "README-secret.md"], ["README-x.md"]],
    ["**\n!a/*.txt", ["a", "a/b", "b.txt", "a/b/c.txt"], ["a/b.txt"]],
    ["**/*.txt\n!a/**", ["b.txt", "b/a.txt"], ["a/b.txt", "a/b/c.txt"]],
    ["a/*\n!a/b", ["a/c"], ["a", "a/b", "a/b/c"]],
    ["!!a\na", ["a"], ["!a"]],
  ],
};

for (const [title, rows] of Object.entries(ROWS)) {
  suite(`parseIgnoreRules, as Docker: ${title}`, () => {
    for (const [text, ignored, kept] of rows) {
      it(`takes ${JSON.stringify(text)}`, () => {
        const { ignores } = parseIgnoreRules(text);
        assertEquals([...ignored, ...kept].filter((path) => ignores(path)), ignored);
      });
    }
  });
}
