import { assertEquals } from "@std/assert";
import { parseIgnoreRules } from "../../../../runtime/app/ignore/ignore_rules.ts";
import { it, suite } from "../../../helpers/suite.ts";

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
    it(`${JSON.stringify(text).slice(0, 50)} and ${part.slice(-50)}`, () => {
      const rules = parseIgnoreRules(text);
      const found = [...back, ...out].filter((path) => rules.bringBack(path, part));
      assertEquals(found, back);
    });
  }

  for (const [text, part, inner, expected] of LOOKS) {
    it(`${JSON.stringify(text)} ${expected ? "looks" : "does not look"} into ${inner}`, () => {
      assertEquals(parseIgnoreRules(text).mayBringBackBelow(inner, part), expected);
    });
  }
});
