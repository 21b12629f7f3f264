import { assertEquals } from "@std/assert";
import { errorText } from "../../../commands/render/error_text.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

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
