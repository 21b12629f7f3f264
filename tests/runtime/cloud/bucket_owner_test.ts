import { assertEquals, assertRejects } from "@std/assert";
import type { Aws } from "../../../runtime/aws/aws.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { requireOwnKey } from "../../../runtime/cloud/bucket_owner.ts";
import { inFile, typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

const THEIRS = "arn:aws:kms:eu-west-1:210987654321:key/1";

/** Counts how often somebody asks for the caller's account. */
function fakeAws(): { readonly aws: Pick<Aws, "sts">; readonly asked: () => number } {
  let asked = 0;
  const identity = () => Promise.resolve({ account: "123456789012" });
  const sts = () => {
    asked += 1;
    return Promise.resolve({ identity } as unknown as Awaited<ReturnType<Aws["sts"]>>);
  };
  return { aws: { sts }, asked: () => asked };
}

suite("requireOwnKey", () => {
  it("requireOwnKey refuses another account's key that only the file sets", async () => {
    const { aws } = fakeAws();
    await assertRejects(() => requireOwnKey(aws, inFile(THEIRS)), AwsError, "does not belong to");
  });

  it("requireOwnKey accepts any key that was typed or set by a variable, without a request to AWS", async () => {
    const { aws, asked } = fakeAws();
    const variable = { value: THEIRS, from: "variable", where: "MLCLI_KMS_KEY" } as const;
    for (const key of [typed(THEIRS), variable, undefined]) await requireOwnKey(aws, key);
    assertEquals(asked(), 0);
  });
});
