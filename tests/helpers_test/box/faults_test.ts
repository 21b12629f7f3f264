import { assert, assertEquals, assertRejects } from "@std/assert";
import { ask, askS3 } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { it, suite } from "../../helpers/suite.ts";

const STREAM = { logGroupName: "/aws/sagemaker/TrainingJobs", logStreamName: "job/algo-1-1" };

async function prepared(): Promise<Box> {
  const box = await Box.open();
  box.s3.createBucket("data");
  await box.s3.put("data", "a/x", "x");
  await box.s3.put("data", "b/x", "x");
  box.logs.put(STREAM.logGroupName, STREAM.logStreamName, ["line"]);
  return box;
}

suite("the box's faults", () => {
  it("deny an action of IAM, on what is named", async () => {
    await using box = await prepared();
    box.faults.deny("s3:GetObject", "arn:aws:s3:::data/a/*");
    const denied = await askS3(box, "GET", "data/a/x");
    assertEquals([denied.status, denied.error], [403, "AccessDenied"]);
    assert(
      denied.text.includes(
        "<Message>User: arn:aws:iam::123456789012:user/jo is not authorized to perform: " +
          's3:GetObject on resource: "arn:aws:s3:::data/a/x" because no identity-based policy ' +
          "allows the s3:GetObject action</Message>",
      ),
    );
    assertEquals((await askS3(box, "GET", "data/b/x")).text, "x");
    // That operation needs the same action.
    const { status, text } = await askS3(box, "HEAD", "data/a/x");
    assertEquals([status, text], [403, ""]);
    box.faults.deny("logs:*");
    const { error, body } = await ask(box, "logs", "GetLogEvents", STREAM);
    assertEquals(error, "AccessDeniedException");
    assert(body.Message.includes("logs:GetLogEvents on resource: arn:aws:logs:eu-west-1:"));
    box.faults.allowAll();
    assertEquals((await askS3(box, "GET", "data/a/x")).text, "x");
  });

  it("hide what is not there from who may not list", async () => {
    await using box = await prepared();
    assertEquals((await askS3(box, "HEAD", "data/none")).status, 404);
    box.faults.deny("s3:ListBucket");
    assertEquals((await askS3(box, "HEAD", "data/none")).status, 403);
    assertEquals((await askS3(box, "HEAD", "data/a/x")).status, 200);
  });

  it("throttle, and fail, so many times", async () => {
    await using box = await prepared();
    box.faults.throttle("s3:GetObject", 2);
    box.faults.fail("logs:*", 1);
    const errors = [];
    for (let i = 0; i < 3; i++) errors.push((await askS3(box, "GET", "data/a/x")).error);
    assertEquals(errors, ["SlowDown", "SlowDown", undefined]);
    assertEquals((await ask(box, "logs", "GetLogEvents", STREAM)).status, 500);
    assertEquals((await ask(box, "logs", "GetLogEvents", STREAM)).error, undefined);
    box.faults.throttle("logs:GetLogEvents", 1);
    assertEquals((await ask(box, "logs", "GetLogEvents", STREAM)).error, "ThrottlingException");
  });

  it("lose an answer after the work is done", async () => {
    await using box = await prepared();
    // More often than Deno's fetch tries by itself, on a connection that was used before.
    box.faults.loseAnswer("s3:PutObject", 2);
    await assertRejects(() => askS3(box, "PUT", "data/new", { body: "new" }), TypeError);
    assertEquals(await box.s3.text("data", "new"), "new");
  });

  it("lose a request, of which nothing is done", async () => {
    await using box = await prepared();
    box.faults.loseRequest("s3:PutObject", 2);
    await assertRejects(() => askS3(box, "PUT", "data/new", { body: "new" }), TypeError);
    assertEquals(box.s3.keys("data", "new"), []);
  });

  it("lose the answer with an object in it", async () => {
    await using box = await prepared();
    box.faults.loseAnswer("s3:GetObject", 2);
    await assertRejects(() => askS3(box, "GET", "data/a/x"), TypeError);
  });

  it("close every connection", async () => {
    await using box = await prepared();
    assertEquals((await askS3(box, "HEAD", "data")).headers.get("connection"), null);
    box.faults.closeConnections();
    assertEquals((await askS3(box, "HEAD", "data")).headers.get("connection"), "close");
  });

  it("step in before and after the work", async () => {
    await using box = await prepared();
    box.faults.before = ({ operation }) =>
      operation === "DeleteObject" ? new Response("no", { status: 418 }) : undefined;
    assertEquals((await askS3(box, "DELETE", "data/a/x")).status, 418);
    assertEquals(box.s3.keys("data", "a/"), ["a/x"]);
    box.faults.before = () => undefined;
    box.faults.after = ({ operation }) =>
      operation === "DeleteObject" ? new Response("yes", { status: 418 }) : undefined;
    assertEquals((await askS3(box, "DELETE", "data/a/x")).status, 418);
    assertEquals(box.s3.keys("data", "a/"), []);
  });

  it("delay no longer than the box is there", async () => {
    const box = await prepared();
    box.faults.delay("s3:HeadBucket", 3_600_000);
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => isAsked = resolve);
    box.faults.before = () => void isAsked();
    const waiting = askS3(box, "HEAD", "data").then(() => "answered", () => "broken");
    await asked;
    await box[Symbol.asyncDispose]();
    assert(["answered", "broken"].includes(await waiting));
  });
});
