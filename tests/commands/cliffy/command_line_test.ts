import { assertEquals, assertThrows } from "@std/assert";
import {
  refusesColour,
  requireNoRest,
  splitCommandLine,
} from "../../../commands/cliffy/command_line.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the words of a command line", () => {
  for (
    const [args, words, rest] of [
      [[], [], []],
      [["local", "--no-color", "stop", "-p", "1"], ["local", "stop", "-p", "1"], []],
      [["local", "--"], ["local"], []],
      [["--hyperparameter=name=", "a="], ["--hyperparameter=name=", "a="], []],
      [["a", "--", "", "--no-color", "--port=", "--", "-h"], ["a"], [
        "",
        "--no-color",
        "--port=",
        "--",
        "-h",
      ]],
      [["--no-color", "a", "--", " b\n'"], ["a"], [" b\n'"]],
    ] as const
  ) {
    it(`of: ${args.join(" ")}`, () =>
      assertEquals(splitCommandLine(args), {
        words: [...words],
        rest: [...rest],
        directory: undefined,
      }));
  }

  for (
    const [args, words, directory] of [
      [["--directory", "a b", "build"], ["build"], "a b"],
      [["local", "--directory=..", "train", "-t", "v"], ["local", "train", "-t", "v"], ".."],
      [["build", "--directory", "-x"], ["build"], "-x"],
      [["build", "--directory=--x"], ["build"], "--x"],
    ] as const
  ) {
    it(`name the directory to run in: ${args.join(" ")}`, () =>
      assertEquals(splitCommandLine(args), { words: [...words], rest: [], directory }));
  }

  it("refuse colour before -- alone", () => {
    assertEquals(refusesColour(["a", "--no-color", "b"]), true);
    assertEquals(refusesColour(["a", "--", "--no-color"]), false);
  });

  it("may follow -- only where a command takes them", () => {
    requireNoRest([]);
    for (const word of ["b", ""]) {
      const { message, hint } = assertThrows(() => requireNoRest([word, "c"]), UsageError);
      assertEquals(message, `Nothing may follow "--", but "${word}" does.`);
      assertEquals(
        hint,
        'Leave "--" out. A file whose name begins with a dash is written ./-name.',
      );
    }
  });

  for (
    const [args, message] of [
      [["--port="], 'Missing value for option "--port".'],
      [["--port", ""], 'Missing value for option "--port".'],
      [["-p="], 'Missing value for option "-p".'],
      [["build", "--directory"], 'Missing value for option "--directory".'],
      [["--directory", "--help"], 'Missing value for option "--directory".'],
      [["--directory="], 'Missing value for option "--directory".'],
      [["--directory", "a", "--directory=b"], 'Option "--directory" is given twice.'],
      [["invoke", ""], "An argument is empty."],
      [[""], "An argument is empty."],
    ] as const
  ) {
    it(`may not be: ${JSON.stringify(args)}`, () => {
      assertEquals(assertThrows(() => splitCommandLine(args), UsageError).message, message);
    });
  }
});
