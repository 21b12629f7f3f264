import { assertEquals } from "@std/assert";
import {
  hostOf,
  linePrefix,
  logLines,
  withoutRepeats,
} from "../../../runtime/contract/log_lines.ts";
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
    ["what a terminal would obey", "a\x1bc\x07\x9bb\u202e", ["a??b?"]],
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
    ["churn/i-0123456789abcde01-1585057344/data-log", "i-0123456789abcde01/data-log"],
    ["churn/algo\x1b[2J\n-1-1585057344", "algo?[2J?-1"],
  ] as const;
  for (const [stream, host] of rows) {
    it(`of ${stream} is ${host}`, () => assertEquals(hostOf(stream), host));
  }
});

suite("linePrefix", () => {
  const rows = [
    ["churn/algo-1-1585057344", 1, ""],
    ["churn/algo-1-1585057344", 2, "algo-1: "],
    ["churn/i-0123-1585057344/data-log", 1, "data-log: "],
    ["churn/i-0123-1585057344/data-log", 2, "i-0123/data-log: "],
  ] as const;
  for (const [stream, hosts, prefix] of rows) {
    it(`of ${stream}, one of ${hosts}, is "${prefix}"`, () => {
      assertEquals(linePrefix(stream, hosts), prefix);
    });
  }
});

suite("withoutRepeats", () => {
  const trace = ["Traceback:", "  load()", "  read()", "KeyError: price"];
  const rows: readonly (readonly [
    name: string,
    lines: readonly string[],
    expected: readonly string[],
  ])[] = [
    ["nothing", [], []],
    ["what comes once", ["loading", ...trace], ["loading", ...trace]],
    ["what comes twice, and is short", [...trace, ...trace], [...trace, ...trace]],
    ["three times the same", [...trace, ...trace, ...trace], [
      "[earlier repeats omitted]",
      ...trace,
    ]],
    ["one that begins in the middle", [...trace.slice(2), ...trace, ...trace], [
      "[earlier repeats omitted]",
      ...trace,
    ]],
    ["what comes before", ["starting", ...trace, ...trace, ...trace], [
      "starting",
      "[earlier repeats omitted]",
      ...trace,
    ]],
    ["an end that others have too", ["read", "KeyError: price", ...trace, ...trace, ...trace], [
      "read",
      "KeyError: price",
      "[earlier repeats omitted]",
      ...trace,
    ]],
    ["one line", Array(50).fill("no memory"), ["[earlier repeats omitted]", "no memory"]],
    ["what differs each time", ["1", ...trace, "2", ...trace, "3", ...trace], [
      ...["1", ...trace, "2", ...trace, "3", ...trace],
    ]],
    ["what comes after", [...trace, ...trace, ...trace, "bye"], [
      ...[...trace, ...trace, ...trace, "bye"],
    ]],
  ];
  for (const [name, lines, expected] of rows) {
    it(`of ${name}`, () => assertEquals(withoutRepeats(lines), expected));
  }
});
