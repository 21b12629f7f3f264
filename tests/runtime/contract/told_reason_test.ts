import { assertEquals } from "@std/assert";
import { headlineOf, isTold, untold } from "../../../runtime/contract/told_reason.ts";
import { it, suite } from "../../helpers/suite.ts";

const TRACEBACK = `Traceback (most recent call last):
  File "/opt/ml/code/training.py", line 7, in train
    raise ValueError("no age")
ValueError: no age
`;
/** As mlcli's harness writes the failure file. */
const REASON = `ValueError: no age\n\n${TRACEBACK}`;
const RICH = "╭─── Traceback (most recent call last) ───╮\n│ line 7 │\nValueError: no age\n";
const CAUSED = `KeyError: 'age'

The above exception was the direct cause of the following exception:

${TRACEBACK}`;
/** A file that cannot be compiled has no frames of its own, and so no heading. */
const SYNTAX = `  File "/opt/ml/code/training.py", line 96
    print(foo
         ^
SyntaxError: '(' was never closed
`;
const SYNTAX_REASON = `SyntaxError: '(' was never closed (training.py, line 96)\n\n${SYNTAX}`;

suite("headlineOf", () => {
  const rows: readonly (readonly [reason: string, headline: string | undefined])[] = [
    ["", undefined],
    [" \n\n", undefined],
    ["no data", "no data"],
    [REASON, "ValueError: no age"],
    [TRACEBACK, "ValueError: no age"],
    [`AlgorithmError: ${REASON}, exit code: 1`, "AlgorithmError: ValueError: no age"],
    [`AlgorithmError: ${TRACEBACK}`, "ValueError: no age"],
    // Cut before its end.
    [TRACEBACK.slice(0, 60), "Traceback (most recent call last):"],
    ["x".repeat(301), `${"x".repeat(297)}...`],
    ["é".repeat(300), "é".repeat(300)],
  ];
  for (const [reason, headline] of rows) {
    it(JSON.stringify(reason.slice(0, 60)), () => assertEquals(headlineOf(reason), headline));
  }
});

suite("isTold", () => {
  const rows: readonly (readonly [name: string, reason: string, output: string, boolean])[] = [
    ["a traceback as it was", REASON, `epoch 1\n${TRACEBACK}`, true],
    ["a module's own error, which has its name before it", "E: no", "pkg.E: no\n", true],
    ["a traceback in another form", REASON, RICH, true],
    ["as the platform has it", `AlgorithmError: ${REASON}, exit code: 1`, TRACEBACK, true],
    ["cut at its end", REASON.slice(0, -5), TRACEBACK, true],
    ["one that led to another", CAUSED, TRACEBACK, false],
    ["the same, all of it", CAUSED, `KeyError: 'age'\n${TRACEBACK}`, true],
    ["a file that cannot be compiled", SYNTAX_REASON, `epoch 1\n${SYNTAX}`, true],
    ["the same, imported", SYNTAX_REASON.replace("\n\n", `\n\n${TRACEBACK}`), SYNTAX, false],
    ["only the file, which cannot be compiled", SYNTAX_REASON, "epoch 1\n", false],
    ["only the file", REASON, "epoch 1\n", false],
    ["more in the file", "no data\nrows: 0", "no data\n", false],
    ["indented lines that are no traceback's", "no data\n  rows: 0", "no data\n", false],
    ["lines of Windows", "no data\r\nrows", "no data\nrows\n", true],
    ["no reason", "", "anything", false],
  ];
  for (const [name, reason, output, told] of rows) {
    it(name, () => assertEquals(isTold(reason, output), told));
  }
});

suite("untold", () => {
  it("is the headline of what the log has, and else all of it", () => {
    assertEquals(untold(REASON, TRACEBACK.split("\n")), "ValueError: no age");
    assertEquals(untold(REASON, ["epoch 1"]), REASON);
    assertEquals(untold("no data", ["no data"]), "no data");
    assertEquals(untold("", ["no data"]), "");
  });
});
