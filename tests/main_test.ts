import { assertEquals, assertMatch } from "@std/assert";
import { main } from "../main.ts";
import {
  Interrupted,
  MlcliError,
  OutputClosed,
  UsageError,
  UserCodeError,
} from "../runtime/errors.ts";
import { fakeContext } from "./helpers/fake_context.ts";
import { it, suite } from "./helpers/suite.ts";

/** Runs a command line whose engine fails with this. */
async function fail(
  error: unknown,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = ["local", "status"],
): Promise<readonly [code: number, stdout: string, stderr: string]> {
  const context = fakeContext({
    env: (name) => env[name],
    engine: () => Promise.reject(error),
  });
  return [await main(args, context), context.out.text, context.err.text];
}

const DEFECT_HINT = "hint: This is a defect of mlcli. --debug shows where it happened.\n";

/** What a command ends with, the exit code, and what is said. */
const ENDS: readonly (readonly [title: string, error: unknown, code: number, said: string])[] = [
  ["an error", new MlcliError("It is broken"), 1, "error: It is broken\n"],
  [
    "an error with all that there is",
    new MlcliError("It is broken", {
      quote: "one\ntwo\n\n",
      hint: "Mend it",
      cause: new Error("x"),
    }),
    1,
    "error: It is broken\n  one\n  two\nhint: Mend it\n",
  ],
  ["a wrong command line", new UsageError("Not so"), 2, "error: Not so\n"],
  ["the user's code", new UserCodeError(77, "It failed"), 77, "error: It failed\n"],
  [
    "a refusal of the system",
    new Error("No room (os error 28)"),
    1,
    "error: No room\nhint: Check that no other program changes these files. To see where it happened, add --debug.\n",
  ],
  [
    "a defect",
    new TypeError("x is not a function"),
    1,
    `error: x is not a function\n${DEFECT_HINT}`,
  ],
];

suite("what a command ends with", () => {
  for (const [title, error, code, said] of ENDS) {
    it(`is said, without a stack, for ${title}`, async () => {
      assertEquals(await fail(error), [code, "", said]);
      for (const MLCLI_DEBUG of ["", "0", "true"]) {
        assertEquals(await fail(error, { MLCLI_DEBUG }), [code, "", said]);
      }
    });

    it(`is said with its stack for --debug and MLCLI_DEBUG=1: ${title}`, async () => {
      const [status, stdout, stderr] = await fail(error, { MLCLI_DEBUG: "1" });
      assertEquals(await fail(error, {}, ["local", "status", "--debug"]), [status, stdout, stderr]);
      assertEquals([status, stdout, stderr.slice(0, said.length)], [code, "", said]);
      const stack = stderr.slice(said.length);
      assertMatch(stack, /^\S*Error.*: .+\n {4}at .*main_test\.ts/);
      assertEquals(stack.includes("caused by: Error: x\n"), title.includes("all"));
    });
  }

  for (
    const [title, args] of [
      ["an option that is none", ["--nonsense"]],
      ["a value that is none", ["local", "stop", "--port", "x"]],
    ] as const
  ) {
    it(`is said, without a stack, for ${title}`, async () => {
      const [code, stdout, stderr] = await fail(undefined, {}, args);
      assertEquals([code, stdout, stderr.split("\n").length], [2, "", 3]);
      assertMatch(stderr, /^error: .*\nhint: .*\n$/);
      const [, , shown] = await fail(undefined, { MLCLI_DEBUG: "1" }, args);
      assertEquals(shown.startsWith(stderr), true);
      assertMatch(shown.slice(stderr.length), /^\S*Error: .+\n {4}at /);
    });
  }

  for (
    const [error, code] of [
      [new Interrupted("SIGINT"), 130],
      [new Interrupted("SIGTERM"), 143],
      [new Interrupted("SIGHUP"), 129],
      [new OutputClosed(), 141],
    ] as const
  ) {
    it(`is not printed where the user wanted the end: ${error.message}`, async () => {
      assertEquals(await fail(error), [code, "", ""]);
      assertEquals(await fail(error, { MLCLI_DEBUG: "1" }), [code, "", ""]);
    });
  }

  it("does nothing on a terminal but what is printable", async () => {
    const [, , stderr] = await fail(new MlcliError("a\x1b[31mb", { hint: "c\x07d" }));
    assertEquals(stderr.includes("\x1b") || stderr.includes("\x07"), false, stderr);
  });
});
