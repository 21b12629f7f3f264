import { assert, assertEquals } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
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
