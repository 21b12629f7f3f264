import { assertEquals } from "@std/assert";
import { hostOf, logLines } from "../../../runtime/contract/log_lines.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("logLines", () => {
  const rows: readonly (readonly [name: string, message: string, lines: readonly string[]])[] = [
    ["a line", "epoch 1", ["epoch 1"]],
    ["an empty line", "", [""]],
    ["its line end, which some agents send", "epoch 1\n", ["epoch 1"]],
    ["the line end of Windows", "epoch 1\r\n", ["epoch 1"]],
    ["several lines in one event", "Traceback:\n  File\nKeyError\n", [
      "Traceback:",
      "  File",
      "KeyError",
    ]],
    ["the last state of a progress bar", "\r 0%|   \r50%|## \r100%|###", ["100%|###"]],
    ["one that ends with a return", "50%|## \r100%|###\r", ["100%|###"]],
    ["one that erases itself", "100%|###\r          \r", ["100%|###"]],
    ["a bar before a line", "50%\r100%\r\nloss 0.1\n", ["100%", "loss 0.1"]],
    ["colours", "\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[K", ["red green"]],
    ["a title", "\x1b]0;evil\x07text\x1b]0;evil\x1b\\.", ["text."]],
    ["what a terminal would obey", "a\x1bc\x07\x9bb\u202e", ["a?c??b?"]],
    ["tabs and letters of all kinds", "\tMüller 東京", ["\tMüller 東京"]],
  ];
  for (const [name, message, lines] of rows) {
    it(`takes ${name}`, () => assertEquals(logLines(message), lines));
  }

  it("takes as long for a long line as for its parts", () => {
    const message = "\x1b[".repeat(100_000) + "\r".repeat(100_000) + "end";
    assertEquals(logLines(message), ["end"]);
  });
});

suite("hostOf", () => {
  const rows = [
    ["churn/algo-1-1585057344", "algo-1"],
    ["churn/algo-12-1585057344123", "algo-12"],
    ["churn/algo-1", "algo-1"],
    ["churn/some-host", "some-host"],
    ["churn/algo\x1b[2J\n-1-1585057344", "algo?[2J?-1"],
  ] as const;
  for (const [stream, host] of rows) {
    it(`of ${stream} is ${host}`, () => assertEquals(hostOf(stream), host));
  }
});
