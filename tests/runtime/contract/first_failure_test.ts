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

/** A reason, the ends of the logs of algo-1, algo-2, ..., and the host that is named. */
const ROWS: readonly (readonly [string, string, readonly End[], string | undefined])[] = [
  [
    "the host that wrote what the reason quotes, though another's error came before",
    "AlgorithmError: ValueError: no rows, exit code: 1",
    [[1, ...traceback("OSError: x")], [2, ...traceback("ValueError: no rows")]],
    "algo-2",
  ],
  [
    "a whole traceback that is quoted",
    `AlgorithmError: ${traceback("KeyError: 'age'").join("\n")}, exit code: 1`,
    [[3, ...CLOSED], [2, ...traceback("KeyError: 'age'")]],
    "algo-2",
  ],
  [
    "what AWS's toolkit quotes",
    'AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage "ValueError: no rows"\n' +
    'Command "/usr/bin/python3 train.py", exit code: 1',
    [QUIET, [2, ...traceback("ValueError: no rows"), "Reporting training FAILURE"]],
    "algo-2",
  ],
  [
    "the first of several that wrote it",
    "AlgorithmError: ValueError: no rows",
    [[3, "ValueError: no rows"], [2, "ValueError: no rows"]],
    "algo-2",
  ],
  ["none of two at once", "AlgorithmError: no rows", [[2, "no rows"], [2, "no rows"]], undefined],
  [
    "without a quotation, the first that ended with an error",
    "AlgorithmError: Exit Code: 1",
    [QUIET, [3, ...traceback("OSError: y")], [2, ...traceback("OSError: x")]],
    "algo-3",
  ],
  [
    "not one whose peer was gone",
    "AlgorithmError: Exit Code: 1",
    [[2, ...CLOSED], [3, ...traceback("OSError: x")]],
    "algo-2",
  ],
  ["none where all have lost a peer", "AlgorithmError: Exit Code: 3", [[2, ...CLOSED]], undefined],
  [
    "none where one was killed",
    "AlgorithmError: Exit Code: 137",
    [[2, ...traceback("OSError: x")], QUIET],
    undefined,
  ],
  [
    "none where memory ran out",
    "ClientError: Please use an instance type with more memory, or reduce the size of job data.",
    [[2, ...traceback("OSError: x")], QUIET],
    undefined,
  ],
  ["none without an error", "AlgorithmError: Exit Code: 1", [QUIET, QUIET], undefined],
  ["none without a reason or logs", "", [], undefined],
];

suite("the host that failed first", () => {
  for (const [what, reason, ends, expected] of ROWS) {
    it(what, () => {
      const logs = ends.map(([last, ...lines], index): HostLog => (
        { host: `algo-${index + 1}`, lines, last }
      ));
      assertEquals(failedFirst(reason, logs)?.host, expected);
    });
  }
});
