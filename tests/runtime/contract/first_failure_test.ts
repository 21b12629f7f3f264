import { assertEquals } from "@std/assert";
import { failedFirst, type HostLog } from "../../../runtime/contract/first_failure.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The end of a host's log: a time, and lines. */
type End = readonly [last: number, ...lines: string[]];

const traceback = (error: string): string[] => [
  "Traceback (most recent call last):",
  '  File "train.py", line 7, in <module>',
  error,
];
const CLOSED = traceback("RuntimeError: [pair.cc:534] Connection closed by peer [172.18.0.3]:41");
const QUIET: End = [1, "epoch 1"];

const OF_TOOLKIT = "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\n" +
  'ErrorMessage "ValueError: no rows"\nCommand "/usr/bin/python3 train.py", exit code: 1';
const STATUS_1 = "AlgorithmError: Exit Code: 1";
const X = traceback("OSError: x");
const NO_ROWS = traceback("ValueError: no rows");

/** A reason, the ends of the logs of algo-1, algo-2, ..., and the host that is named. */
const CASES: readonly (readonly [string, string, readonly End[], string | undefined])[] = [
  ["that of the quoted error", "AlgorithmError: ValueError: no rows, exit code: 1", [
    [1, ...X],
    [2, ...NO_ROWS],
  ], "algo-2"],
  ["that of which AWS's toolkit tells", OF_TOOLKIT, [QUIET, [2, ...NO_ROWS, "FAILURE"]], "algo-2"],
  ["the first of two", "AlgorithmError: no rows", [[3, "no rows"], [2, "no rows"]], "algo-2"],
  ["none of two at once", "AlgorithmError: no rows", [[2, "no rows"], [2, "no rows"]], undefined],
  ["the first error", STATUS_1, [QUIET, [3, ...NO_ROWS], [2, ...X]], "algo-3"],
  ["not one whose peer was gone", STATUS_1, [[2, ...CLOSED], [3, ...X]], "algo-2"],
  ["none where all have lost a peer", STATUS_1, [[2, ...CLOSED], QUIET], undefined],
  ["none where one was killed", "AlgorithmError: Exit Code: 137", [[2, ...X], QUIET], undefined],
  ["none where memory ran out", "use a type with more memory", [[2, ...X], QUIET], undefined],
  ["none without an error", STATUS_1, [QUIET, QUIET], undefined],
];

suite("the host that failed first", () => {
  for (const [what, reason, ends, expected] of CASES) {
    it(what, () => {
      const logs = ends.map(([last, ...lines], index): HostLog => (
        { host: `algo-${index + 1}`, lines, last }
      ));
      assertEquals(failedFirst(reason, logs)?.host, expected);
    });
  }
});
