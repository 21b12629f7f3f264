import { assertEquals, assertThrows } from "@std/assert";
import { commandWords } from "../../../commands/cliffy/words.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the words of a command line", () => {
  for (
    const [args, words] of [
      [[], []],
      [["local", "--no-color", "stop", "-p", "1"], ["local", "stop", "-p", "1"]],
      [["local", "--"], ["local", "--"]],
      [["--hyperparameter=name=", "a="], ["--hyperparameter=name=", "a="]],
    ] as const
  ) {
    it(`of: ${args.join(" ")}`, () => assertEquals(commandWords(args), [...words]));
  }

  for (
    const [args, message] of [
      [["a", "--", "b"], 'Nothing may follow "--", but "b" does.'],
      [["--", ""], 'Nothing may follow "--", but "" does.'],
      [["--port="], 'Missing value for option "--port".'],
      [["--port", ""], 'Missing value for option "--port".'],
      [["-p="], 'Missing value for option "-p".'],
      [["invoke", ""], "An argument is empty."],
      [[""], "An argument is empty."],
    ] as const
  ) {
    it(`may not be: ${JSON.stringify(args)}`, () => {
      assertEquals(assertThrows(() => commandWords(args), UsageError).message, message);
    });
  }
});
