import { assertEquals } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import {
  errorText,
  Messages,
  noteText,
  tell,
  warning,
  warningText,
  wrap,
} from "../../runtime/messages.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

const ERROR = errorText(
  new MlcliError("Not a valid mlcli directory: /home/somebody/data/apartments/of/2026", {
    quote: "a line of somebody else's log, which is as long as it is long",
    hint: "It has no app's NAME.json. Change to the directory that has one, or make an app: " +
      "mlcli init demo --python-version 3.11",
  }),
);

suite("a message", () => {
  it("is a line for a program", () => {
    for (const text of [ERROR, warningText("one ".repeat(99)), noteText("two ".repeat(99))]) {
      const { err } = fakeContext({ columns: 40 });
      tell(err, text);
      assertEquals(err.text, text);
    }
  });

  it("has its first word in colour where that is wanted", () => {
    const { err } = fakeContext({ colour: true });
    tell(err, `${warningText("w: error: x", "h")}${noteText("n")}error: e\n  error: quoted\n`);
    assertEquals(
      err.text,
      "\x1b[33mwarning:\x1b[39m w: error: x\n\x1b[36mhint:\x1b[39m h\nnote: n\n" +
        "\x1b[31merror:\x1b[39m e\n  error: quoted\n",
    );
  });

  it("is broken between words on a terminal, and neither paths nor commands are", () => {
    const { err } = fakeContext({ isTerminal: true, columns: 40 });
    tell(err, ERROR);
    assertEquals(
      err.text,
      `error: Not a valid mlcli directory:
       /home/somebody/data/apartments/of/2026
  a line of somebody else's log, which
  is as long as it is long
hint: It has no app's NAME.json. Change
      to the directory that has one, or
      make an app:
      mlcli init demo --python-version 3.11
`,
    );
  });

  it("has no line of others that looks like a hint of mlcli's", () => {
    const text = "HTTP 500: no\nhint: curl x | sh\nHint:\tb\nhints stay";
    const lines = "HTTP 500: no\n  hint: curl x | sh\n  Hint:\tb\nhints stay\n";
    assertEquals(errorText(new MlcliError(text, { hint: text })), `error: ${lines}hint: ${lines}`);
    assertEquals(warningText(text, text), `warning: ${lines}hint: ${lines}`);
    assertEquals(noteText(text), `note: ${lines}`);
  });

  it("has its further lines below its text, each line a message of its own", () => {
    const { err } = fakeContext({ isTerminal: true, columns: 30 });
    tell(err, warningText("the code is older than its image", "Run mlcli build -t v2 first."));
    tell(err, noteText("nothing else is known here to differ"));
    assertEquals(
      err.text,
      `warning: the code is older
         than its image
hint: Run mlcli build -t v2
      first.
note: nothing else is known
      here to differ
`,
    );
  });
});

suite("broken lines", () => {
  for (
    const [what, text, columns, indent, lines] of [
      ["of what fits", "one two", 40, 0, "one two"],
      ["of what just fits", "0123456789 123456789", 20, 0, "0123456789 123456789"],
      ["between words", "0123456789 1234567890", 20, 0, "0123456789\n1234567890"],
      ["with an indent", "0123456789 0123456789", 24, 4, "0123456789\n    0123456789"],
      [
        "of a word that is too long",
        "a 01234567890123456789x b",
        20,
        0,
        "a\n01234567890123456789x\nb",
      ],
      ["of lines that are there", "one\n\ntwo", 40, 2, "one\n  \n  two"],
      [
        "at 20 columns in a narrower terminal",
        "0123456789 012345678",
        5,
        0,
        "0123456789 012345678",
      ],
      ["between commands", "Run mlcli build first", 20, 0, "Run mlcli build\nfirst"],
      ["around a command", "Then run mlcli local train.", 20, 0, "Then run\nmlcli local train."],
      [
        "around all of a command",
        "Try: mlcli -t v2 local train --env A=b -- --rows 5, or not",
        30,
        0,
        "Try:\nmlcli -t v2 local train --env A=b -- --rows 5,\nor not",
      ],
      [
        "around a command with a name",
        "(mlcli init demo) makes it, and nothing else",
        20,
        0,
        "(mlcli init demo)\nmakes it, and\nnothing else",
      ],
      [
        "after a command, where a sentence goes on",
        "mlcli build before you push it",
        20,
        0,
        "mlcli build before\nyou push it",
      ],
      [
        "around a line of a Dockerfile",
        "Add it: COPY ${APP}/a/ /opt/a/",
        20,
        0,
        "Add it:\nCOPY ${APP}/a/ /opt/a/",
      ],
      [
        "around the beginning of one that a sentence goes on behind",
        "A line ARG X, in a stage",
        20,
        0,
        "A line ARG X, in a\nstage",
      ],
      ["in no terminal", "one ".repeat(99).trim(), Infinity, 9, "one ".repeat(99).trim()],
    ] as const
  ) {
    it(what, () => assertEquals(wrap(text, columns, indent), lines));
  }
});

suite("the text of an error", () => {
  for (
    const [error, text] of [
      [new MlcliError("It failed"), "error: It failed\n"],
      [new MlcliError("It failed", { hint: "Try." }), "error: It failed\nhint: Try.\n"],
      [
        new MlcliError("It failed", { quote: "one\n two\n\n", hint: "Try." }),
        "error: It failed\n  one\n   two\nhint: Try.\n",
      ],
      [new MlcliError("\x1b[2J", { hint: "\x1b[2J" }), "error: ?[2J\nhint: ?[2J\n"],
      [new TypeError("x is not a function"), "error: x is not a function\n"],
      ["thrown", "error: thrown\n"],
    ] as const
  ) {
    it(JSON.stringify(text), () => assertEquals(errorText(error), text));
  }
});

suite("Messages", () => {
  const printAll = (messages: Messages): void => {
    messages.state("Created it");
    messages.note("n", "m");
    messages.warning("w", "x");
    messages.error(new MlcliError("e", { hint: "h" }));
    messages.tell([
      { level: "note", message: "1" },
      warning("2", "y"),
      { level: "error", message: "3", hint: "z" },
    ]);
    messages.hint("i");
  };
  const whole = "Created it\nnote: n\nhint: m\nwarning: w\nhint: x\nerror: e\nhint: h\n" +
    "note: 1\nwarning: 2\nhint: y\nerror: 3\nhint: z\nhint: i\n";
  const quiet = "warning: w\nhint: x\nerror: e\nhint: h\nwarning: 2\nhint: y\n" +
    "error: 3\nhint: z\nhint: i\n";
  for (
    const [name, choice, text] of [
      ["prints states, notes, warnings, errors and hints", {}, whole],
      ["prints the same messages with --progress plain", { progress: "plain" }, whole],
      ["prints only warnings, errors and hints with --quiet", { quiet: true }, quiet],
    ] as const
  ) {
    it(name, () => {
      const { err } = fakeContext();
      printAll(new Messages(err, choice));
      assertEquals(err.text, text);
    });
  }

  it("prints the same messages if failures are ignored", () => {
    const { err } = fakeContext();
    printAll(new Messages(err, { quiet: true }).ignoringFailures());
    assertEquals(err.text, quiet);
  });

  it("disposing Messages keeps the command's error if the terminal is gone", () => {
    const gone = (): never => {
      throw new Error("gone");
    };
    const messages = new Messages(fakeContext({ isTerminal: true }).err);
    messages.showBelow({ clear: gone, draw: gone, [Symbol.dispose]: gone });
    messages[Symbol.dispose]();
  });

  it("state() removes control characters", () => {
    const { err } = fakeContext();
    new Messages(err).state("a\x1b[2Jb");
    assertEquals(err.text, "a?[2Jb\n");
  });
});
