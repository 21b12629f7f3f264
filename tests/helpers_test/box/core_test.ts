import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ask, askS3, sendSigned } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { type AccessKey, USER_KEY } from "../../helpers/box/account.ts";
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

suite("the box: who asks", () => {
  it("is the owner of a key that signs right", async () => {
    await using box = await Box.open();
    const answer = await sts(box, { Action: "GetCallerIdentity" });
    assertMatch(
      await answer.text(),
      /<Arn>arn:aws:iam::123456789012:user\/jo<.*<Account>123456789012</,
    );
    assertEquals(box.operations, ["sts:GetCallerIdentity"]);
    assertEquals(box.requests[0]!.authorization.accessKeyId, USER_KEY.id);
  });

  const strangers: readonly (readonly [string, Partial<AccessKey>, string, string, string])[] = [
    [
      "no key",
      { id: "AKIDNOBODY" },
      "InvalidAccessKeyId",
      "UnrecognizedClientException",
      "InvalidClientTokenId",
    ],
    [
      "another token",
      { token: "stolen" },
      "InvalidToken",
      "UnrecognizedClientException",
      "InvalidClientTokenId",
    ],
    [
      "another secret",
      { secret: "guessed" },
      "SignatureDoesNotMatch",
      "InvalidSignatureException",
      "SignatureDoesNotMatch",
    ],
  ];
  for (const [what, difference, ofS3, ofJson, ofSts] of strangers) {
    it(`is refused with ${what}, in each service's words`, async () => {
      await using box = await Box.open();
      box.expectsWrongSignature = true;
      const key = { ...USER_KEY, ...difference };
      assertEquals((await askS3(box, "GET", "data/x", { key })).error, ofS3);
      assertEquals((await ask(box, "logs", "GetLogEvents", {}, key)).error, ofJson);
      const answer = await sts(box, { Action: "GetCallerIdentity" }, key);
      assertMatch(await answer.text(), new RegExp(`<Code>${ofSts}</Code>`));
      assertEquals(box.requests, []);
    });
  }

  it("is refused when the keys are over, and goes on with new ones", async () => {
    await using box = await Box.open();
    box.roles.add(ROLE);
    box.faults.expireKeys();
    assertEquals((await askS3(box, "GET", "data/x")).error, "ExpiredToken");
    assertEquals((await ask(box, "logs", "GetLogEvents")).error, "ExpiredTokenException");
    const fresh: AccessKey = { ...USER_KEY, id: "AKIDFRESH" };
    box.keys.set(fresh.id, fresh);
    assertEquals((await askS3(box, "GET", "data/x", { key: fresh })).error, "NoSuchBucket");
  });

  it("fails the test where a signature is wrong and nobody said that it would be", async () => {
    const box = await Box.open();
    await askS3(box, "GET", "data/x", { key: { ...USER_KEY, secret: "guessed" } });
    await assertRejects(
      () => box[Symbol.asyncDispose](),
      Error,
      "A signature is wrong: GET /data/x",
    );
  });

  it("signs the content too", async () => {
    await using box = await Box.open();
    box.s3.createBucket("data");
    const headers = { "x-amz-content-sha256": "0".repeat(64) };
    const { error } = await askS3(box, "PUT", "data/x", { headers, body: "x" });
    assertEquals(error, "XAmzContentSHA256Mismatch");
    assertEquals(box.s3.keys("data"), []);
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
  ] as const;
  for (const [what, act, words] of unexpected) {
    it(what, async () => {
      const box = await Box.open();
      await act(box);
      await assertRejects(() => box[Symbol.asyncDispose](), Error, words);
    });
  }
});

suite("the box: STS", () => {
  it("gives a key for a role that may be assumed, until its time is over", async () => {
    await using box = await Box.open();
    box.roles.add(ROLE);
    const answer = await sts(box, {
      ...{ Action: "AssumeRole", RoleArn: ROLE, RoleSessionName: "me", DurationSeconds: "900" },
    });
    const text = await answer.text();
    const field = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(text)![1]!;
    const minutes = (Date.parse(field("Expiration")) - Date.now()) / 60_000;
    assert(minutes > 14 && minutes <= 15, field("Expiration"));
    const key: AccessKey = {
      ...{ id: field("AccessKeyId"), secret: field("SecretAccessKey"), user: "" },
      token: field("SessionToken"),
    };
    const who = await (await sts(box, { Action: "GetCallerIdentity" }, key)).text();
    assertMatch(who, /<Arn>arn:aws:sts::123456789012:assumed-role\/jo\/me</);
  });

  for (
    const [what, fields, code] of [
      ["a role that is not there", { RoleArn: `${ROLE}2` }, "AccessDenied"],
      ["another external id", { RoleArn: ROLE, ExternalId: "b" }, "AccessDenied"],
      [
        "too short a time",
        { RoleArn: ROLE, ExternalId: "a", DurationSeconds: "60" },
        "ValidationError",
      ],
      ["a name with a space", { RoleArn: ROLE, RoleSessionName: "a b" }, "ValidationError"],
    ] as const
  ) {
    it(`refuses ${what}`, async () => {
      await using box = await Box.open();
      box.roles.add(ROLE);
      box.sts.externalIds.set(ROLE, "a");
      const answer = await sts(box, { Action: "AssumeRole", RoleSessionName: "me", ...fields });
      assertMatch(await answer.text(), new RegExp(`<Code>${code}</Code>`));
      assertEquals(box.keys.size, 1);
    });
  }
});
