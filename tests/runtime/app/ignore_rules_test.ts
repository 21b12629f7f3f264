import { assert, assertEquals, assertRejects } from "@std/assert";
import { parseIgnoreRules } from "../../../runtime/app/ignore_rules.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

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
    it(`takes ${JSON.stringify(text).slice(0, 50)}`, async () => {
      const rules = await parseIgnoreRules(text);
      const found = [...ignored, ...kept].filter((path) => rules.ignores(path));
      assertEquals(found, ignored);
    });
  }

  it("takes a comment behind a byte order mark for one", async () => {
    assertEquals((await parseIgnoreRules("\uFEFF# [draft\na")).ignores("a"), true);
  });

  it("names a broken pattern", async () => {
    const error = await assertRejects(() => parseIgnoreRules("a\n[b\n"), MlcliError, '"[b"');
    assertEquals(error.name, "MlcliError");
    for (const broken of ["[", "a/[z-a]", "[^", "![]"]) {
      await assertRejects(() => parseIgnoreRules(broken), MlcliError, `"${broken}"`);
    }
  });

  it("reads a name in any directory as it reads other wildcards", async () => {
    const paths = ["x", "a/x", "a/x/b", "ax", "xa", "a/b/x.y", "x.y/b", ".y", "a/.y", "x.yz", "a"];
    for (
      const [simple, same] of [
        ["**/x", "**/[x]"],
        ["**/*.y", "**/*.[y]"],
        ["**/.y", "**/[.]y"],
        ["!**/x\n**/x", "!**/[x]\n**/[x]"],
      ] as const
    ) {
      const [one, other] = [await parseIgnoreRules(simple), await parseIgnoreRules(same)];
      assertEquals(paths.filter(one.ignores), paths.filter(other.ignores), simple);
      assert(paths.some(one.ignores), simple);
    }
  });

  it("refuses more wildcards than a path could be tried with", async () => {
    const lines = Array.from({ length: 1500 }, (_, index) => `**/*.${index + 100_000}`);
    const error = await assertRejects(() => parseIgnoreRules(lines.join("\n")), MlcliError);
    assertEquals(error.message, 'Too many wildcards in .dockerignore: "**/*.101489"');
    // Paths without one may be many.
    const paths = lines.map((line) => line.slice("**/*".length));
    assertEquals((await parseIgnoreRules(paths.join("\n"))).ignores(".101000"), true);
  });

  for (const pattern of ["[a]", "?", "!?/b", "\\a"]) {
    it(`refuses 16 KiB of patterns such as ${pattern}`, async () => {
      const text = `${pattern}\n`.repeat(20_000);
      const error = await assertRejects(() => parseIgnoreRules(text), MlcliError);
      assertEquals(error.message, `Too many wildcards in .dockerignore: "${pattern}"`);
    });
  }

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
    it(`${expected ? "looks" : "does not look"} into ${folder} by ${JSON.stringify(text)}`, async () => {
      assertEquals((await parseIgnoreRules(text)).mayHoldException(folder), expected);
    });
  }
});

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
      it(`takes ${JSON.stringify(text)}`, async () => {
        const { ignores } = await parseIgnoreRules(text);
        assertEquals([...ignored, ...kept].filter((path) => ignores(path)), ignored);
      });
    }
  });
}

/** A `.dockerignore`, the private part of paths, which of the paths it brings back, which not. */
const CASES: readonly (readonly [text: string, part: string, back: string[], out: string[]])[] = [
  // What names the file.
  ["!demo/a/.env.example", "demo/a/.env.example", ["demo/a/.env.example"], []],
  ["! /demo/./x/../a/.env/ ", "demo/a/.env", ["demo/a/.env"], []],
  ["!**/.env.example", "demo/a/b/.env.example", ["demo/a/b/.env.example"], []],
  ["!**/.env.example", "demo/.env", [], ["demo/.env"]],
  ["!demo/*/.env", "demo/a/.env", ["demo/a/.env"], []],
  ["!demo/*/.env", "demo/a/b/.env", [], ["demo/a/b/.env"]],
  ["!**/.env.*", "demo/.env.local", ["demo/.env.local"], []],
  ["!**/.e?v", "demo/.env", ["demo/.env"], []],
  ["!**/.en[u-w]", "demo/.env", ["demo/.env"], []],
  ["!**/.en[^v]", "demo/.env", [], ["demo/.env"]],
  ["!**/*.pem", "demo/a/server.pem", ["demo/a/server.pem"], []],
  ["!demo/data (1)+.pem", "demo/data (1)+.pem", ["demo/data (1)+.pem"], []],
  ["!demo/\\.env", "demo/.env", ["demo/.env"], []],
  // Capitals are others, as in all patterns.
  ["!demo/.env", "demo/.ENV", [], ["demo/.ENV"]],
  // A dot is a dot, and a star stays in its directory.
  ["!demo/.env", "demo/xenv", [], ["demo/xenv"]],
  ["!*.pem", "demo/a.pem", [], ["demo/a.pem"]],
  // What names a directory, or something in it.
  ["!demo/.aws", "demo/.aws", ["demo/.aws", "demo/.aws/config", "demo/.aws/sso/.env"], []],
  ["!demo/.aws/*", "demo/.aws", ["demo/.aws/config", "demo/.aws/sso/x"], ["demo/.aws"]],
  ["!**/.aws/**", "demo/a/.aws", ["demo/a/.aws/config", "demo/a/.aws/sso/x"], []],
  [
    "!demo/.aws/config",
    "demo/.aws",
    ["demo/.aws/config", "demo/.aws/config/x"],
    ["demo/.aws", "demo/.aws/credentials", "demo/.aws/x/config"],
  ],
  ["!demo/.aws/**/config", "demo/.aws", ["demo/.aws/config", "demo/.aws/x/config"], []],
  // Lists of what the image may have name nothing private.
  ["*\n!demo", "demo/.env", [], ["demo/.env"]],
  ["*\n!demo/**", "demo/a/.env", [], ["demo/a/.env"]],
  ["*\n!demo/*", "demo/.env", [], ["demo/.env"]],
  ["*\n!**", "demo/.env", [], ["demo/.env"]],
  ["*\n!*\n!*/*", "demo/.env", [], ["demo/.env"]],
  ["*\n!demo/mlcli_base/", "demo/mlcli_base/.env", [], ["demo/mlcli_base/.env"]],
  ["*\n!**/?*", "demo/.env", [], ["demo/.env"]],
  ["*\n!**/.*\n!**/*.*", "demo/.env", [], ["demo/.env"]],
  ["*\n!**/[^x]*", "demo/.env", [], ["demo/.env"]],
  ["*\n!**/*.json", "demo/.docker", [], ["demo/.docker/config.json"]],
  ["*\n!**/*.py", "demo/.git", [], ["demo/.git/hooks/a.py"]],
  ["*\n!demo/*/config", "demo/.aws", [], ["demo/.aws/config"]],
  ["*\n!demo/certs", "demo/certs/a.pem", [], ["demo/certs/a.pem"]],
  // A name in a private directory does not name the directory.
  ["!**/.env", "demo/.git", [], ["demo/.git/.env"]],
  // As a regular expression, or part by part, this takes years.
  [`!**/.e${"*a".repeat(20)}b`, `x/.e${"a".repeat(200)}`, [], [`x/.e${"a".repeat(200)}`]],
  [`!${"**/a/".repeat(20)}.env`, `${"a/".repeat(100)}.env`, [`${"a/".repeat(100)}.env`], []],
  [`!${"**/a/".repeat(20)}.env`, `${"a/".repeat(100)}.pem`, [], [`${"a/".repeat(100)}.pem`]],
  // A slash in a class separates.
  ["!demo/.e[/n]v", "demo/.env", [], ["demo/.env"]],
  // No exception, no way back.
  ["demo/.env\n# !demo/.env", "demo/.env", [], ["demo/.env"]],
];

/** A `.dockerignore`, a private directory, one in it, whether that is looked into. */
const LOOKS: readonly (readonly [text: string, part: string, inner: string, expected: boolean])[] =
  [
    ["!demo/.aws/config", "demo/.aws", "demo/.aws", true],
    ["!demo/.aws/a/b", "demo/.aws", "demo/.aws/a", true],
    ["!demo/.aws/a/b", "demo/.aws", "demo/.aws/c", false],
    ["!demo/.aws/**/b", "demo/.aws", "demo/.aws/c", true],
    ["!demo/.aws/config", "demo/a/.aws", "demo/a/.aws", false],
    ["!demo/**", "demo/.git", "demo/.git", false],
    ["!**/*.py", "demo/.git", "demo/.git", false],
  ];

suite("exceptions for private files", () => {
  for (const [text, part, back, out] of CASES) {
    it(`${JSON.stringify(text).slice(0, 50)} and ${part.slice(-50)}`, async () => {
      const rules = await parseIgnoreRules(text);
      const found = [...back, ...out].filter((path) => rules.bringBack(path, part));
      assertEquals(found, back);
    });
  }

  for (const [text, part, inner, expected] of LOOKS) {
    it(`${JSON.stringify(text)} ${expected ? "looks" : "does not look"} into ${inner}`, async () => {
      assertEquals((await parseIgnoreRules(text)).mayBringBackBelow(inner, part), expected);
    });
  }
});
