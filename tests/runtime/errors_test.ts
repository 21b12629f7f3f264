import { assert, assertEquals } from "@std/assert";
import {
  fileErrorReason,
  INTERRUPT_STATUS,
  Interrupted,
  isSystemError,
  messageOf,
  MlcliError,
  OutputClosed,
  UsageError,
  UserCodeError,
} from "../../runtime/errors.ts";
import { it, suite } from "../helpers/suite.ts";

const CAUSE = new Error("why");
const DETAILS = { hint: "Do.", quote: "They said", cause: CAUSE };

/** Each error, its name, its message, and whether `main.ts` shows a hint with it. */
const ERRORS: readonly (readonly [error: Error, name: string, message: string, own: boolean])[] = [
  [new MlcliError("Wrong", DETAILS), "MlcliError", "Wrong", true],
  [new UsageError("Wrong", DETAILS), "UsageError", "Wrong", true],
  [new UserCodeError(3, "Wrong", DETAILS), "UserCodeError", "Wrong", true],
  [new Interrupted("SIGTERM"), "Interrupted", "Interrupted by SIGTERM", false],
  [new OutputClosed(), "OutputClosed", "The output was closed", false],
];

suite("errors", () => {
  for (const [error, name, message, own] of ERRORS) {
    it(`${name} says what it is`, () => {
      assertEquals([error.name, error.message], [name, message]);
      assert(error.stack!.includes(message));
      assertEquals(error instanceof MlcliError, own);
      if (!(error instanceof MlcliError)) return;
      assertEquals([error.hint, error.quote, error.cause], ["Do.", "They said", CAUSE]);
    });
  }

  it("they carry what decides on the exit status", () => {
    assertEquals(new UserCodeError(3, "x").status, 3);
    assertEquals(new Interrupted("SIGHUP").signal, "SIGHUP");
    // 128 and the number of the signal, as in `kill -l`.
    assertEquals({ ...INTERRUPT_STATUS }, { SIGHUP: 128 + 1, SIGINT: 128 + 2, SIGTERM: 128 + 15 });
  });

  it("they need no details", () => {
    const { hint, quote, cause } = new MlcliError("Wrong");
    assertEquals([hint, quote, cause], [undefined, undefined, undefined]);
  });
});

/** What may be thrown: its text, whether the system refused it, and the system's reason. */
const THROWN: readonly (readonly [unknown, text: string, isSystem: boolean, reason: string])[] = [
  [new Error("No"), "No", false, "No"],
  ["text", "text", false, "text"],
  [undefined, "undefined", false, "undefined"],
  [404, "404", false, "404"],
  ["No (os error 2)", "No (os error 2)", false, "No"],
  [new Error("No room (os error 28)"), "No room (os error 28)", true, "No room"],
  [
    new Error("No such file (os error 2): open 'a\n(os error 2)'"),
    "No such file (os error 2): open 'a\n(os error 2)'",
    true,
    "No such file",
  ],
  [new MlcliError("No answer (os error 32)"), "No answer (os error 32)", false, "No answer"],
  [new Error("(os error x)"), "(os error x)", false, "(os error x)"],
  [new Error("a(os error 2)"), "a(os error 2)", true, "a(os error 2)"],
];

suite("what was thrown", () => {
  for (const [thrown, text, isSystem, reason] of THROWN) {
    it(`${JSON.stringify(text)} of ${typeof thrown}: ${JSON.stringify(reason)}`, () => {
      assertEquals(messageOf(thrown), text);
      assertEquals(isSystemError(thrown), isSystem);
      assertEquals(fileErrorReason(thrown), reason);
    });
  }

  it("Deno's own errors have a reason", async () => {
    const error = await Deno.readTextFile("/nonexistent/file").catch((error) => error);
    assertEquals(isSystemError(error), true);
    assert(!/os error|nonexistent/.test(fileErrorReason(error)), fileErrorReason(error));
  });
});
