import { assert, assertEquals } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { modelError } from "../../../runtime/aws/model_errors.ts";
import { explainInvocation } from "../../../runtime/cloud/invoke_endpoint.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const FAILED = {
  endpointName: "churn",
  contentType: "text/csv",
  stream: false,
  region: undefined,
  profile: { value: "dev", from: "typed", where: "--profile" },
  iamRoleArn: undefined,
  describe: () => Promise.reject(new Error("nobody is to ask")),
} as const;

/** The model's error as the SDK throws it, and what becomes of it. */
async function explained(members: Readonly<Record<string, unknown>>, words: string) {
  const error = Object.assign(new Error(words), { name: "ModelError" }, members);
  const shown = await explainInvocation(
    modelError(error, { endpoint: "churn", seconds: 60 }),
    FAILED,
  );
  assert(shown instanceof MlcliError);
  const { message, quote, hint } = shown;
  return [message, quote, hint];
}

const LOG = "See the endpoint's log: mlcli logs churn --profile dev";
const GROUP = "arn:aws:logs:eu-west-1:123456789012:log-group:/aws/sagemaker/Endpoints/churn";
const SEE = "See https://eu-west-1.console.aws.amazon.com/x in account 1 for more information.";

suite("the error of a model", () => {
  it("has the stream of the machine that wrote about it, where SageMaker names that", async () => {
    const members = { OriginalStatusCode: 500, OriginalMessage: "no age" };
    for (
      const [LogStreamArn, where] of [
        [`${GROUP}:log-stream:AllTraffic/i-0123`, " (log stream AllTraffic/i-0123)"],
        [GROUP, ""],
        [undefined, ""],
      ]
    ) {
      assertEquals(await explained({ ...members, LogStreamArn }, ""), [
        "The model of endpoint churn returned HTTP 500",
        "no age",
        `${LOG}${where}`,
      ]);
    }
  });

  it("is in SageMaker's sentence, where it is nowhere else", async () => {
    const words = `Received server error (500) from primary with message "a "b"\nc". ${SEE}`;
    assertEquals((await explained({ OriginalStatusCode: 500 }, words))[1], 'a "b"\nc');
    const cut = `Received server error (500) from primary and could not load the entire response ` +
      `body. ${SEE}`;
    assertEquals((await explained({ OriginalStatusCode: 500, OriginalMessage: "" }, cut))[1], cut);
  });

  it("stays what it is where it is none", async () => {
    const denied = new AwsError("denied", "no");
    assertEquals(await explainInvocation(denied, FAILED), denied);
    assertEquals(modelError(denied, { endpoint: "churn", seconds: 60 }), denied);
    const missing = new AwsError("not found", "ResourceNotFound: endpoint churn");
    assertEquals(await explainInvocation(missing, FAILED), missing);
  });
});
