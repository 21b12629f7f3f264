import { assertEquals } from "@std/assert";
import { privilegesHint, Tail } from "../../../../runtime/local/container/last_output.ts";
import { it, suite } from "../../../helpers/suite.ts";

const WORDS = "sudo: effective uid is not 0, is sudo installed setuid root?\n";

/** Whether there is a hint after these pieces of standard error. */
function hasHint(...pieces: readonly string[]): boolean {
  const tail = new Tail(8192);
  for (const piece of pieces) tail.add(new TextEncoder().encode(piece));
  return privilegesHint(tail.text) !== undefined;
}

suite("sudo's words at the end of standard error", () => {
  for (
    const [title, pieces, isFound] of [
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
    it(`are ${isFound ? "" : "not "}found: ${title}`, () => {
      assertEquals(hasHint(...pieces), isFound);
    });
  }
});
