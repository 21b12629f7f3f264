import { assertEquals } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import { explain } from "../../scripts/script.ts";
import { it, suite } from "../helpers/suite.ts";

suite("Scripts: what the user reads", () => {
  it("has the message, the quote and the hint on lines of their own", () => {
    const error = new MlcliError("It broke", { quote: "one\ntwo", hint: "Mend it" });
    assertEquals(explain(error), "error: It broke\n  one\n  two\nhint: Mend it");
  });

  it("has no stack for an error that nobody expected", () => {
    assertEquals(explain(new TypeError("x is not a function")), "error: x is not a function");
  });
});
