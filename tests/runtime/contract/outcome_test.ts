import { assertEquals, assertMatch } from "@std/assert";
import {
  endOf,
  endWithError,
  explainingLines,
  failureReason,
  headlineOf,
  isShownIn,
  lastErrorIn,
  REASON_BYTES,
  reasonBesideLog,
} from "../../../runtime/contract/outcome.ts";
import { it, suite } from "../../helpers/suite.ts";

const ENDS: readonly (readonly [status: number, outOfMemory: boolean, words: string])[] = [
  [1, false, "exit code 1"],
  [3, true, "exit code 3 (out of memory)"],
  [126, false, "exit code 126 (command cannot be executed)"],
  [127, false, "exit code 127 (command not found)"],
  [128, false, "exit code 128"],
  [129, false, "exit code 129 (killed by SIGHUP)"],
  [130, false, "exit code 130 (killed by SIGINT)"],
  [131, false, "exit code 131 (killed by SIGQUIT)"],
  [132, false, "exit code 132 (killed by SIGILL, illegal instruction)"],
  [134, false, "exit code 134 (killed by SIGABRT, abort)"],
  [135, false, "exit code 135 (killed by SIGBUS, bus error)"],
  [136, false, "exit code 136 (killed by SIGFPE, arithmetic error)"],
  [137, false, "exit code 137 (killed by SIGKILL)"],
  [137, true, "exit code 137 (killed by SIGKILL; out of memory)"],
  [139, false, "exit code 139 (killed by SIGSEGV, segmentation fault)"],
  [141, false, "exit code 141 (killed by SIGPIPE)"],
  [143, false, "exit code 143 (killed by SIGTERM)"],
  [255, false, "exit code 255"],
];

const REMEDY = "Use smaller batches or fewer workers, or allow more memory with --memory";

suite("endOf", () => {
  for (const [status, outOfMemory, words] of ENDS) {
    it(words, () => assertEquals(endOf(status, outOfMemory).words, words));
  }

  it("says what helps against running out of memory, and guesses it from SIGKILL alone", () => {
    assertEquals(endOf(1, true).hint, REMEDY);
    assertEquals(endOf(137, true).hint, REMEDY);
    assertEquals(
      endOf(137, false).hint,
      `If you did not kill the process, it probably ran out of memory. ${REMEDY}.`,
    );
    assertMatch(endOf(135, false).hint!, /--shm-size/);
    assertEquals([endOf(1, false).hint, endOf(143, false).hint], [undefined, undefined]);
  });
});

const REASONS: readonly (readonly [title: string, text: string, reason: string])[] = [
  ["is kept as it is", "Out of luck\n\tat a.py\n", "Out of luck\n\tat a.py\n"],
  ["loses what a terminal would obey", "a\x1b[31mb\x07\r\x9bc\0", "a[31mbc"],
  ["is as long as SageMaker shows it", "x".repeat(2000), "x".repeat(1024)],
  ["is counted in characters", "é".repeat(2000), "é".repeat(1024)],
  ["may be empty", "", ""],
];

suite("failureReason", () => {
  for (const [title, text, reason] of REASONS) {
    it(title, () => {
      const start = new TextEncoder().encode(text).subarray(0, REASON_BYTES);
      assertEquals(failureReason(start), reason);
    });
  }

  it("has room for any characters, and survives what is no text", () => {
    const emoji = new TextEncoder().encode("😀".repeat(2000)).subarray(0, REASON_BYTES);
    assertEquals(failureReason(emoji), "😀".repeat(1024));
    assertEquals(failureReason(new Uint8Array([0x61, 0xff, 0x62])), "a\ufffdb");
  });
});

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

/** As AWS's toolkit writes it: sagemaker-training 5.1.4, of a script that raises and of one that exits. */
const TOOLKIT = `ExecuteUserScriptError:
ExitCode 1
ErrorMessage "raise ValueError("no age")
 ^^^^^^^^
 ValueError: no age"
Command "/usr/bin/python3 -- train.py --epochs 3"`;
/** As sagemaker-containers 2.8.6 writes it, whatever the script said. */
const OLDER_TOOLKIT = `ExecuteUserScriptError:
Command "/usr/bin/python3 -m train --raise 1"`;
const TOOLKIT_EXIT = `ExecuteUserScriptError:
ExitCode 7
ErrorMessage ""
Command "/usr/bin/python3 -- train.py"`;

/** As it writes it of a script that mpirun ran on several hosts. */
const TOOLKIT_MPI = `ExecuteUserScriptError:
ExitCode 1
ErrorMessage "raise ValueError("no age")
 ValueError: no age
 ${"-".repeat(74)}
 MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
 with errorcode 1.
"
Command "mpirun --host algo-1,algo-2 -np 2 /usr/bin/python3 -m mpi4py train.py"`;

suite("headlineOf", () => {
  const rows: readonly (readonly [reason: string, headline: string | undefined])[] = [
    ["", undefined],
    [" \n\n", undefined],
    ["no data", "no data"],
    [REASON, "ValueError: no age"],
    [TRACEBACK, "ValueError: no age"],
    [`AlgorithmError: ${REASON}, exit code: 1`, "AlgorithmError: ValueError: no age"],
    [`AlgorithmError: ${TRACEBACK}`, "ValueError: no age"],
    [TOOLKIT, "ValueError: no age"],
    [`AlgorithmError: ${TOOLKIT}, exit code: 1`, "ValueError: no age"],
    [TOOLKIT_MPI, "ValueError: no age"],
    [TOOLKIT_EXIT, "ExecuteUserScriptError, exit code 7"],
    [OLDER_TOOLKIT, "ExecuteUserScriptError"],
    [`AlgorithmError: ${OLDER_TOOLKIT}, exit code: 1`, "ExecuteUserScriptError"],
    [TOOLKIT.slice(0, 70), 'raise ValueError("no'],
    // Cut before its end.
    [TRACEBACK.slice(0, 60), "Traceback (most recent call last):"],
    ["x".repeat(301), `${"x".repeat(297)}...`],
    ["é".repeat(300), "é".repeat(300)],
  ];
  for (const [reason, headline] of rows) {
    it(JSON.stringify(reason.slice(0, 60)), () => assertEquals(headlineOf(reason), headline));
  }
});

suite("lastErrorIn", () => {
  const mms = "2020-05-25 10:11:12,123 [INFO ] W-9000-model-stdout WorkerLifeCycle - ";
  const prefixed = [
    [
      // https://github.com/aws-samples/host-yolov8-on-sagemaker-endpoint/issues/20
      "one with a logger's prefix",
      [
        "Traceback (most recent call last):",
        '  File "/opt/ml/model/code/inference.py", line 9, in model_fn',
        "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/model/code/best.pt'",
      ].map((line) => mms + line).join("\n"),
      "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/model/code/best.pt'",
    ],
    [
      "one with a host's prefix",
      'algo-1: Traceback (most recent call last):\nalgo-1:   File "x", line 1\nalgo-1: KeyError: 3',
      "KeyError: 3",
    ],
  ] as const;
  const rows: readonly (readonly [what: string, output: string, error: string | undefined])[] = [
    ["nothing", "", undefined],
    ["no traceback", "ValueError: no age\n", undefined],
    ["one, and what is printed after it", `${TRACEBACK}\n2026-11-25 ERROR\n`, "ValueError: no age"],
    ["the last of two", `${TRACEBACK.replace("age", "name")}\n${TRACEBACK}`, "ValueError: no age"],
    [
      "one that has lost its indents",
      'Traceback (most recent call last):\nFile "train.py", line 7, in <module>\n' +
      'raise ValueError("no age")\n^^^^^\nValueError: no age\nExecuteUserScriptError:',
      "ValueError: no age",
    ],
    ["one that has just begun", "Traceback (most recent call last):\n  File", undefined],
  ];
  for (const [what, output, error] of [...rows, ...prefixed]) {
    it(what, () => assertEquals(lastErrorIn(output), error));
  }
});

suite("endWithError", () => {
  it("endWithError names the last error of a program that exited by itself", () => {
    assertEquals(endWithError(3, "exit code 3", TRACEBACK), "ValueError: no age (exit code 3)");
    assertEquals(endWithError(3, "exit code 3", "bye"), "exit code 3");
  });

  it("endWithError does not repeat the status of a SystemExit", () => {
    const log = TRACEBACK.replace("ValueError: no age", "SystemExit: 3");
    assertEquals(endWithError(3, "exit code 3", log), "exit code 3");
  });

  it("endWithError names no error of a program that a signal ended", () => {
    assertEquals(endWithError(137, "exit code 137", TRACEBACK), "exit code 137");
  });
});

suite("explainingLines", () => {
  const handled = "Traceback (most recent call last):\n  File 'a', line 1\n" +
    "ModuleNotFoundError: No module named 'ujson'\n\n";
  const rows: Readonly<Record<string, readonly [log: string, lines: readonly string[]]>> = {
    "explainingLines returns the error of the last traceback, and the lines below it": [
      `${handled}ready\n${TRACEBACK}\nWorker failed to boot\n`,
      ["ValueError: no age", "Worker failed to boot"],
    ],
    "explainingLines returns the errors that led to the last one": [
      `${handled}During handling of the above exception, another exception occurred:\n\n${TRACEBACK}`,
      ["ValueError: no age", "ModuleNotFoundError: No module named 'ujson'"],
    ],
    "explainingLines leaves warnings out": [
      `${TRACEBACK}\n2026/11/25 WARNING mlflow: [Errno 30] Read-only file system: 'mlruns'\nbye\n`,
      ["ValueError: no age", "bye"],
    ],
    "explainingLines returns all lines but warnings without a traceback": [
      "a.py:1: UserWarning: old\n[INFO] loading\nno model\n",
      ["no model"],
    ],
    "explainingLines reads a traceback whose beginning is not in the log": [
      '  File "serve", line 7, in model_fn\n    load()\nValueError: no age\nbye\n',
      ["ValueError: no age", "bye"],
    ],
  };
  for (const [title, [log, lines]] of Object.entries(rows)) {
    it(`${title}`, () => assertEquals(explainingLines(log.split("\n")), lines));
  }
});

suite("isShownIn", () => {
  const rows: readonly (readonly [name: string, reason: string, output: string, boolean])[] = [
    ["a traceback as it was", REASON, `epoch 1\n${TRACEBACK}`, true],
    ["a module's own error, which has its name before it", "E: no", "pkg.E: no\n", true],
    ["a traceback in another form", REASON, RICH, true],
    ["as SageMaker has it", `AlgorithmError: ${REASON}, exit code: 1`, TRACEBACK, true],
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
    it(name, () => assertEquals(isShownIn(reason, output), told));
  }
});

suite("reasonBesideLog", () => {
  it("is the headline of what the log has, and else all of it", () => {
    assertEquals(reasonBesideLog(REASON, TRACEBACK.split("\n")), "ValueError: no age");
    assertEquals(reasonBesideLog(REASON, ["epoch 1"]), REASON);
    assertEquals(reasonBesideLog("no data", ["no data"]), "no data");
    assertEquals(reasonBesideLog("", ["no data"]), "");
  });
});
