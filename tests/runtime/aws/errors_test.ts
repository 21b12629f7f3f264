import { assert, assertEquals } from "@std/assert";
import { AwsError, withMore } from "../../../runtime/aws/errors.ts";
import { MlcliError, UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("AwsError", () => {
  it("is an error with a message for the user, and says why for code", () => {
    const cause = new Error("socket hang up");
    const error = new AwsError("denied", "No", { hint: "Ask.", quote: "User: jo", cause });
    const { name, refusal, message, hint, quote } = error;
    assertEquals([name, refusal, message, hint, quote, error.cause], [
      ...["AwsError", "denied", "No", "Ask.", "User: jo"],
      cause,
    ]);
    assert(error instanceof MlcliError && !(error instanceof UsageError));
  });

  it("needs no details", () => {
    const { hint, quote, cause } = new AwsError("other", "No");
    assertEquals([hint, quote, cause], [undefined, undefined, undefined]);
  });
});

suite("withMore", () => {
  for (
    const [hint, expected] of [
      ["Log in: aws sso login", "Log in: aws sso login. It continues."],
      ["Try again.", "Try again. It continues."],
      [undefined, "It continues."],
    ] as const
  ) {
    it(`ends the hint "${hint}" before it adds a sentence`, () => {
      assertEquals(withMore(new AwsError("other", "No", { hint }), "It continues.").hint, expected);
    });
  }
});
