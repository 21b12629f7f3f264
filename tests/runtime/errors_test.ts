import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import {
  explainSystemError,
  fileErrorHint,
  fileErrorReason,
  INTERRUPT_STATUS,
  Interrupted,
  isSystemError,
  messageOf,
  MlcliError,
  OutputClosed,
  systemCode,
  UsageError,
  UserCodeError,
} from "../../runtime/errors.ts";
import { errorText } from "../../runtime/messages.ts";
import { makeDirectory, type TestDirectory } from "../helpers/directory.ts";
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

const LONG = "x".repeat(300);

/** A refused call, in a directory with a file and a link to itself; its name; what is said of it. */
const REFUSED: readonly (readonly [
  call: (at: (name: string) => string) => unknown,
  code: string,
  words: string,
  hint: RegExp,
])[] = [
  [(at) => Deno.open(at("loop")), "ELOOP", "Cannot open loop: ", /loop/],
  [(at) => Deno.readTextFile(at("loop")), "ELOOP", "Cannot read loop: ", /loop/],
  [(at) => Deno.writeTextFile(at("loop"), ""), "ELOOP", "Cannot write loop: ", /loop/],
  [(at) => Deno.truncate(at("loop")), "ELOOP", "Cannot write loop: ", /loop/],
  [(at) => Deno.stat(at("loop")), "ELOOP", "Cannot access loop: ", /loop/],
  [(at) => Deno.mkdir(at(LONG)), "ENAMETOOLONG", `Cannot create ${LONG}: `, /shorter/],
  [(at) => Deno.mkdir(at("file/a")), "ENOTDIR", "Cannot create file/a: ", /Move or rename/],
  [(at) => Deno.mkdir(at("file")), "EEXIST", "Cannot create file: ", /Move or rename/],
  [(at) => Deno.symlink("x", at("file")), "EEXIST", "Cannot create file: ", /Move or rename/],
  [(at) => Deno.link(at("file"), at("loop")), "EEXIST", "Cannot create loop: ", /Move or rename/],
  [
    (at) => Array.fromAsync(Deno.readDir(at("file"))),
    "ENOTDIR",
    "Cannot read file: ",
    /Move or rename/,
  ],
  [(at) => Deno.rename(at("file"), at(LONG)), "ENAMETOOLONG", `Cannot move file to ${LONG}: `, /./],
  [(at) => Deno.copyFile(at("file"), at("loop")), "ELOOP", "Cannot copy file to loop: ", /loop/],
  [(at) => Deno.remove(at("full")), "ENOTEMPTY", "Cannot remove full: ", /other program/],
  [
    (at) => Deno.chmod(at("gone"), 0o600),
    "ENOENT",
    "Cannot change the mode of gone: ",
    /other program/,
  ],
  [(at) => Deno.chown(at("loop"), 1, 1), "ELOOP", "Cannot change the owner of loop: ", /loop/],
  [(at) => Deno.makeTempDir({ dir: at("gone") }), "ENOENT", "Cannot create a temporary dir", /./],
  [(at) => Deno.makeTempFile({ dir: at("gone") }), "ENOENT", "Cannot create a temporary file", /./],
  [
    () => Deno.writeTextFile("/dev/full", "x"),
    "ENOSPC",
    "Cannot write /dev/full: ",
    /disk space/,
  ],
  [() => Deno.mkdir("/proc/x"), "ENOENT", "Cannot create /proc/x: ", /other program/],
  [() => writeTo("/dev/full"), "ENOSPC", "No space left on device", /disk space/],
];

/** Of a file that is open, the system's words name no path. */
async function writeTo(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true });
  await file.write(new Uint8Array(1));
}

async function place(): Promise<TestDirectory> {
  const directory = await makeDirectory({ file: "", "full/x": "" });
  await Deno.symlink("loop", join(directory.path, "loop"));
  return directory;
}

suite("what the system refuses", () => {
  for (const [number, [call, code, words, hint]] of REFUSED.entries()) {
    it(`${code}: ${words.slice(0, 40)} (${number + 1})`, async () => {
      await using directory = await place();
      const at = (name: string): string => join(directory.path, name);
      const error = await Promise.resolve().then(() => call(at)).then(() => {}, (error) => error);
      assertEquals([isSystemError(error), systemCode(error)], [true, code]);
      const said = explainSystemError(error, directory.path);
      assertEquals(said.message.slice(0, words.length), words);
      assertMatch(said.hint!, hint);
      assertEquals(/os error|mlcli-test/.test(said.message + said.hint), false, said.message);
    });
  }

  for (
    const [code, hint] of [
      ["EROFS", /read-only/],
      ["EACCES", /owner/],
      ["EPERM", /owner/],
      ["EMFILE", /ulimit -n/],
      ["ENFILE", /ulimit -n/],
      ["EDQUOT", /quota/],
      ["EIO", /dmesg/],
      ["ESTALE", /network/],
      ["ECONNRESET", undefined],
    ] as const
  ) {
    it(`${code}: ${hint ?? "no hint of its own"}`, () => {
      const error = Object.assign(new Error("Words (os error 1): mkdir '/a/b'"), { code });
      const said = explainSystemError(error, "/a");
      assertEquals(said.message, "Cannot create b: Words");
      if (hint) assertMatch(said.hint!, hint);
      assertEquals(fileErrorHint(error), hint && said.hint);
    });
  }

  it("paths outside of the directory are whole; of other words, the number alone is left out", () => {
    for (
      const [text, said] of [
        ["No (os error 5): open '/b/c'", "Cannot open /b/c: No"],
        ["No (os error 5): open '/a/it's -> b'", "Cannot open it's -> b: No"],
        ["No (os error 5): rename '/a/b' -> '/a/c'", "Cannot move b to c: No"],
        ["No (os error 5): open '/a/two\nlines'", "Cannot open two\nlines: No"],
        ["No (os error 5): constructor '/a/b'", "Cannot access b: No"],
        ["Failed to spawn 'x': No (os error 2)", "Failed to spawn 'x': No"],
        ["Sending: tcp: No (os error 2), really", "Sending: tcp: No"],
      ] as const
    ) assertEquals(explainSystemError(new Error(text), "/a").message, said);
  });

  it("an error that has no hint gets that of its cause", () => {
    const cause = Object.assign(new Error("No (os error 28)"), { code: "ENOSPC" });
    assertMatch(errorText(new MlcliError("Wrong", { cause })), /\nhint: Free some disk space/);
    assertEquals(
      errorText(new MlcliError("Wrong", { cause, hint: "Do." })),
      "error: Wrong\nhint: Do.\n",
    );
  });
});
