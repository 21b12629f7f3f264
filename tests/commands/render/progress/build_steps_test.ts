import { assert, assertEquals } from "@std/assert";
import { StepLog } from "../../../../commands/render/progress/build_steps.ts";
import { it, suite } from "../../../helpers/suite.ts";

function logOf(...pieces: readonly string[]): StepLog {
  const log = new StepLog();
  for (const piece of pieces) log.add(piece);
  return log;
}

suite("the output of a step", () => {
  for (
    const [name, pieces, whole] of [
      ["nothing", [], []],
      ["lines", ["a\nb\n"], ["a", "b"]],
      ["a line in pieces", ["a", "b", "\nc"], ["ab", "c"]],
      ["a line that is written again", ["10%\r20%\r", "30%\r40%"], ["40%"]],
      ["one that ends with returns", ["10%\r20%\r\r\r"], ["20%"]],
      ["one that ends as Windows' do", ["a\r\nb\r", "\n"], ["a", "b"]],
      ["one that becomes empty", ["10%\r", "\n"], ["10%"]],
      ["colours, in pieces", ["\x1b[3", "1mred\x1b", "[0m\n\x1b[1mb"], ["red", "b"]],
      ["what a terminal would obey", ["a\x07\x1b]0;title\x07b\x1b[2J\n"], ["a?b"]],
      ["empty lines", ["\n\na\n"], ["", "", "a"]],
    ] as const
  ) {
    it(name, () => assertEquals(logOf(...pieces).whole(), whole));
  }

  it("returns the lines as they end", () => {
    const log = new StepLog();
    assertEquals([log.add("a"), log.add("b\nc\nd"), log.end(), log.end()], [
      [],
      ["ab", "c"],
      ["d"],
      [],
    ]);
  });

  it("has last lines, without the empty ones", () => {
    const log = logOf("a\n\nb\n \nc\n50%\r60%");
    assertEquals([log.tail(0), log.tail(2), log.tail(9)], [[], ["c", "60%"], [
      "a",
      "b",
      "c",
      "60%",
    ]]);
  });

  it("keeps only its end where it is endless, and says so", () => {
    const log = new StepLog();
    for (let count = 0; count < 20_000; count++) log.add("x".repeat(999) + "\n");
    const [first, ...rest] = log.whole();
    assert(rest.length >= 8000 && rest.length <= 16_000, `${rest.length}`);
    assertEquals(first, `(${20_000 - rest.length} earlier lines omitted)`);
  });

  it("takes a line without an end, and returns without a line, in no time", () => {
    const log = logOf(...Array.from({ length: 2000 }, () => "x".repeat(1000)));
    assert(log.whole().length > 10);
    assertEquals(logOf("a", "\r".repeat(2_000_000), "b\n").whole(), ["b"]);
  });
});
