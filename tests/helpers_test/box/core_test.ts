import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type AccessKey, USER_KEY } from "../../helpers/box/account.ts";
import { ask, askS3, sendSigned } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { it, suite } from "../../helpers/suite.ts";

const GROUP = "/aws/sagemaker/TrainingJobs";
const ROLE = "arn:aws:iam::123456789012:role/service/jo";

function sts(box: Box, fields: Record<string, string>, key?: AccessKey): Promise<Response> {
  return sendSigned(box, {
    ...{ service: "sts", method: "POST", target: "/", key },
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
}

suite("the box refuses who asks", () => {
  it("with an unknown key, another token or secret, or keys that are over", async () => {
    for (
      const [difference, ofS3, ofJson, ofSts] of [
        [
          { id: "AKIDNOBODY" },
          "InvalidAccessKeyId",
          "UnrecognizedClientException",
          "InvalidClientTokenId",
        ],
        [{ token: "no" }, "InvalidToken", "UnrecognizedClientException", "InvalidClientTokenId"],
        [
          { secret: "guessed" },
          "SignatureDoesNotMatch",
          "InvalidSignatureException",
          "SignatureDoesNotMatch",
        ],
        [{}, "ExpiredToken", "ExpiredTokenException", "ExpiredToken"],
      ] as const
    ) {
      await using box = await Box.open();
      box.expectsWrongSignature = true;
      if (Object.keys(difference).length === 0) box.faults.expireKeys();
      const key = { ...USER_KEY, ...difference };
      assertEquals((await askS3(box, "GET", "data/x", { key })).error, ofS3);
      assertEquals((await ask(box, "logs", "GetLogEvents", {}, key)).error, ofJson);
      const answer = await sts(box, { Action: "GetCallerIdentity" }, key);
      assertMatch(await answer.text(), new RegExp(`<Code>${ofSts}</Code>`));
      assertEquals(box.requests, []);
    }
  });

  it("for a role that may not be assumed, or not so", async () => {
    for (
      const [fields, code] of [
        [{ RoleArn: `${ROLE}2` }, "AccessDenied"],
        [{ RoleArn: ROLE, DurationSeconds: "60" }, "ValidationError"],
        [{ RoleArn: ROLE, RoleSessionName: "a b" }, "ValidationError"],
      ] as const
    ) {
      await using box = await Box.open();
      box.roles.add(ROLE);
      const answer = await sts(box, { Action: "AssumeRole", RoleSessionName: "me", ...fields });
      assertMatch(await answer.text(), new RegExp(`<Code>${code}</Code>`));
      assertEquals(box.keys.size, 1);
    }
  });
});

suite("the box: what is not expected fails the test", () => {
  const unexpected = [
    ["an operation", (box: Box) => ask(box, "logs", "DeleteLogGroup"), "logs:DeleteLogGroup"],
    [
      "a member",
      (box: Box) => {
        box.logs.put(GROUP, "s", ["x"]);
        return ask(box, "logs", "GetLogEvents", {
          ...{ logGroupName: GROUP, logStreamName: "s", fromHead: true },
        });
      },
      "fromHead",
    ],
    [
      "a field of a query",
      (box: Box) => askS3(box, "GET", "data", { query: { "list-type": "2", sort: "up" } }),
      "GET /data",
    ],
    [
      "no signature",
      (box: Box) => fetch(`${box.url}/data`).then((one) => one.text()),
      "Not signed",
    ],
    [
      "a wrong signature",
      (box: Box) => askS3(box, "GET", "data/x", { key: { ...USER_KEY, secret: "guessed" } }),
      "A signature is wrong: GET /data/x",
    ],
  ] as const;
  for (const [what, act, words] of unexpected) {
    it(what, async () => {
      const box = await Box.open();
      await act(box);
      await assertRejects(() => box[Symbol.asyncDispose](), Error, words);
    });
  }

  it("unless the test is over: then nothing is waited for", async () => {
    const box = await Box.open();
    box.s3.createBucket("data");
    box.faults.delay("s3:HeadBucket", 3_600_000);
    const asked = Promise.withResolvers<void>();
    box.faults.before = () => void asked.resolve();
    const waiting = askS3(box, "HEAD", "data").then(() => "answered", () => "broken");
    await asked.promise;
    await box[Symbol.asyncDispose]();
    assertEquals(["answered", "broken"].includes(await waiting), true);
  });
});
