import { assertEquals } from "@std/assert";
import { PrivilegeWatch } from "../../../../runtime/local/container/privileges.ts";
import { it, suite } from "../../../helpers/suite.ts";

const WORDS = "sudo: effective uid is not 0, is sudo installed setuid root?\n";

/** The hint after these pieces of standard error. */
function hintAfter(...pieces: readonly string[]): boolean {
  const watch = new PrivilegeWatch();
  for (const piece of pieces) watch.hear(new TextEncoder().encode(piece));
  return watch.hint !== undefined;
}

suite("PrivilegeWatch", () => {
  for (
    const [title, pieces, hears] of [
      ["nothing", [], false],
      ["other words", ["No privileges here\n"], false],
      ["the words", [WORDS], true],
      ["the words in pieces", [...WORDS], true],
      ["the words after much else", ["x".repeat(100_000), WORDS], true],
      ["the words before a little else", [WORDS, "y".repeat(1000)], true],
      ["the words long before the end", [WORDS, "y".repeat(10_000)], false],
      ["the words at the end of a long piece", ["x".repeat(100_000) + WORDS], true],
    ] as const
  ) {
    it(`${hears ? "hears" : "does not hear"} ${title}`, () => {
      assertEquals(hintAfter(...pieces), hears);
    });
  }
});
