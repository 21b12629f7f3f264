import { assertEquals } from "@std/assert";
import type { Aws } from "../../../runtime/aws/aws.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { confirmFirstUse } from "../../../runtime/cloud/first_use.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Services whose identity is this account's; without one, STS cannot be reached. */
function awsOf(account: string | undefined): Pick<Aws, "sts" | "sagemaker"> {
  const identity = () =>
    account === undefined
      ? Promise.reject(new AwsError("unreachable", "Cannot reach AWS"))
      : Promise.resolve({ account });
  const region = { value: "eu-west-1", from: "variable", where: "AWS_REGION" };
  // The function uses nothing else of the services.
  const services: unknown = {
    sts: () => Promise.resolve({ identity }),
    sagemaker: () => Promise.resolve({ region }),
  };
  return services as Pick<Aws, "sts" | "sagemaker">;
}

suite("confirmFirstUse", () => {
  it("confirmFirstUse asks once for each account, and each time if the account is unknown", async () => {
    await using directory = await makeDirectory();
    const questions: string[] = [];
    const host = fakeContext({
      canAsk: true,
      ask: (question) => {
        questions.push(question);
        return Promise.resolve("y");
      },
      env: (name) => name === "XDG_STATE_HOME" ? `${directory.path}/state` : undefined,
    });
    const use = { app: { directory: directory.path }, does: "starts a job", yes: false };
    for (
      const [account, expected] of [
        ["1", 1],
        ["1", 1],
        ["2", 2],
        ["1", 2],
        [undefined, 3],
        [undefined, 4],
      ] as const
    ) {
      await confirmFirstUse(use, awsOf(account), host);
      assertEquals(questions.length, expected, account);
    }
    assertEquals(
      questions.at(-1),
      "This starts a job in eu-west-1 (AWS_REGION), account unknown. It costs money.\n" +
        "Continue? mlcli asks once per directory and account [y/N]",
    );
  });
});
