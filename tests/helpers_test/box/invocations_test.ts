import { assertEquals, assertMatch } from "@std/assert";
import { invokeEndpoint } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { it, suite } from "../../helpers/suite.ts";
import { SERVERLESS } from "./hosting.ts";

const SEE = "See https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1" +
  "#logEventViewer:group=/aws/sagemaker/Endpoints/Shop in account 123456789012 for more " +
  "information.";
const LIMIT = 25 * 1024 * 1024;

/** With an endpoint that is in service. */
async function serving(): Promise<Box> {
  const box = await Box.open();
  box.endpoints.add("Shop");
  return box;
}

/** Code in the header, status and message. */
async function refusal(answer: Response): Promise<[string | null, number, string]> {
  const { Message, message } = await answer.json();
  return [answer.headers.get("x-amzn-errortype"), answer.status, Message ?? message];
}

suite("the box's invocations", () => {
  it("answer what a test says, with what was sent", async () => {
    await using box = await serving();
    const echoed = await invokeEndpoint(box, "Shop", {
      body: "1,2",
      headers: { "content-type": "text/csv" },
    });
    assertEquals(
      [await echoed.text(), echoed.headers.get("content-type")],
      ["1,2", "text/csv"],
    );
    assertEquals(echoed.headers.get("x-amzn-invoked-production-variant"), "AllTraffic");
    box.endpoints.answer = ({ headers, body, targetVariant, isStreamed }) => ({
      contentType: "application/json",
      body: JSON.stringify({ headers, length: body.length, targetVariant, isStreamed }),
      customAttributes: "c=1",
    });
    const answer = await invokeEndpoint(box, "Shop", {
      body: "12345",
      headers: {
        "accept": "application/json",
        "x-amzn-sagemaker-custom-attributes": "a=1",
        "x-amzn-sagemaker-inference-id": "i-1",
        "x-amzn-sagemaker-target-variant": "AllTraffic",
      },
    });
    assertEquals(await answer.json(), {
      headers: {
        "accept": "application/json",
        "x-amzn-sagemaker-custom-attributes": "a=1",
        "x-amzn-sagemaker-inference-id": "i-1",
      },
      ...{ length: 5, targetVariant: "AllTraffic", isStreamed: false },
    });
    assertEquals(answer.headers.get("x-amzn-sagemaker-custom-attributes"), "c=1");
    assertEquals(box.operations, ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpoint"]);
    assertEquals(box.requests[0]!.input.Body, new TextEncoder().encode("1,2"));
  });

  it("come in parts where that is asked for", async () => {
    await using box = await serving();
    box.endpoints.answer = ({ headers }) => ({
      contentType: headers.accept,
      parts: ["one", "two"],
      breaks: "StreamBroken",
    });
    const answer = await invokeEndpoint(box, "Shop", {
      headers: { "x-amzn-sagemaker-accept": "text/plain", "accept": "*/*" },
      isStreamed: true,
    });
    assertEquals(answer.headers.get("content-type"), "application/vnd.amazon.eventstream");
    assertEquals(answer.headers.get("x-amzn-sagemaker-content-type"), "text/plain");
    const text = await answer.text();
    assertMatch(text, /PayloadPart[^]*one[^]*PayloadPart[^]*two[^]*ModelStreamError[^]*StreamBro/);
    assertEquals(box.operations, ["sagemaker:InvokeEndpointWithResponseStream"]);
  });

  for (
    const [what, said, words, original] of [
      [
        "refused it",
        { status: 415, body: "no csv" },
        'client error (415) from primary with message "no csv"',
        "no csv",
      ],
      [
        "failed",
        { status: 500, body: "oh" },
        'server error (500) from primary with message "oh"',
        "oh",
      ],
      [
        "failed at length",
        { status: 500, body: "x".repeat(5_000) },
        "server error (500) from primary and could not load the entire response body",
        "x".repeat(2_048),
      ],
      [
        "did not answer",
        { status: 0 },
        'server error (0) from primary with message "Your invocation timed out while waiting for ' +
        "a response from container primary. Review the latency metrics for each container in " +
        'Amazon CloudWatch, resolve the issue, and try again."',
        undefined,
      ],
    ] as const
  ) {
    for (const isStreamed of [false, true]) {
      it(`say that the model ${what}${isStreamed ? ", before any part" : ""}`, async () => {
        await using box = await serving();
        box.endpoints.answer = () => said;
        const answer = await invokeEndpoint(box, "Shop", { isStreamed });
        assertEquals(answer.status, 424);
        assertEquals(answer.headers.get("x-amzn-errortype"), "ModelError");
        const { Message, OriginalStatusCode, OriginalMessage, LogStreamArn } = await answer.json();
        assertEquals(Message, `Received ${words}. ${SEE}`);
        assertEquals(OriginalStatusCode, said.status);
        if (original !== undefined) assertEquals(OriginalMessage, original);
        const group = "/aws/sagemaker/Endpoints/Shop";
        assertEquals(LogStreamArn, `arn:aws:logs:eu-west-1:123456789012:log-group:${group}`);
      });
    }
  }

  it("are of endpoints that serve, and whose name is written as it was", async () => {
    await using box = await serving();
    const { endpoints } = box;
    endpoints.add("new", { status: "Creating" });
    endpoints.add("bad", { status: "Failed" });
    endpoints.add("old", { status: "Deleting" });
    for (const name of ["none", "new", "bad", "old", "shop"]) {
      assertEquals(await refusal(await invokeEndpoint(box, name)), [
        "ValidationError",
        400,
        `Endpoint ${name} of account 123456789012 not found.`,
      ]);
    }
    for (const status of ["Updating", "SystemUpdating", "RollingBack"] as const) {
      endpoints.endpoint("Shop").enter(status);
      const answer = await invokeEndpoint(box, "Shop", { body: status });
      assertEquals(await answer.text(), status);
    }
  });

  it("are not too large", async () => {
    await using box = await serving();
    const { ServerlessConfig } = SERVERLESS;
    box.endpoints.add("free", { variant: { ServerlessConfig } });
    const most = await invokeEndpoint(box, "Shop", { body: new Uint8Array(LIMIT) });
    assertEquals([most.status, (await most.bytes()).length], [200, LIMIT]);
    const large = await invokeEndpoint(box, "Shop", { body: new Uint8Array(LIMIT + 1) });
    assertEquals(await refusal(large), [
      null,
      413,
      "HTTP content length exceeded 26214400 bytes.",
    ]);
    const free = await invokeEndpoint(box, "free", { body: new Uint8Array(5 * 1024 * 1024) });
    const [code, status, message] = await refusal(free);
    assertEquals([code, status], ["ValidationError", 400]);
    assertMatch(message, /^Request [0-9a-f-]{36} has oversize body\.$/);
  });

  it("are refused in the runtime's own way", async () => {
    await using box = await serving();
    const headers = { "x-amzn-sagemaker-target-variant": "Other" };
    const [code] = await refusal(await invokeEndpoint(box, "Shop", { headers }));
    assertEquals(code, "ValidationError");
    const ids = { "x-amzn-sagemaker-inference-id": "x".repeat(65) };
    const [, , words] = await refusal(await invokeEndpoint(box, "Shop", { headers: ids }));
    assertMatch(words, /inferenceId.*length less than or equal to 64/);
    box.faults.deny("sagemaker:InvokeEndpoint", "arn:aws:sagemaker:*:endpoint/shop");
    const [denied, status, message] = await refusal(await invokeEndpoint(box, "Shop"));
    assertEquals([denied, status], ["AccessDeniedException", 403]);
    assertMatch(message, /^User: .* is not authorized to perform: sagemaker:InvokeEndpoint on /);
    const streamed = await invokeEndpoint(box, "Shop", { isStreamed: true });
    assertEquals(streamed.status, 200);
    await streamed.body?.cancel();
    box.faults.allowAll();
    box.faults.throttle("sagemaker:InvokeEndpoint", 1);
    assertEquals(await refusal(await invokeEndpoint(box, "Shop")), [
      "ThrottlingException",
      429,
      "Rate exceeded",
    ]);
    const unknown = { id: "AKIDNOBODY", secret: "x", user: "nobody" };
    const [key, wrong] = await refusal(await invokeEndpoint(box, "Shop", { key: unknown }));
    assertEquals([key, wrong], ["UnrecognizedClientException", 403]);
  });
});
