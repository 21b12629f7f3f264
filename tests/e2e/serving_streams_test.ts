import { assertEquals, assertRejects } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { deployServer, type TestServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Serving code that answers in parts, and tells what it learns of a request beside its body. */
const CODE = `
import os, time

def model_fn(model_dir, context):
    return context.system_properties["model_dir"]

def predict_fn(data, model, context):
    if data == "release": open("/tmp/release", "w").close()
    if data == "closed": return os.path.exists("/tmp/closed")
    if data == "context":
        context.set_custom_attributes(context.custom_attributes + "; seen")
        context.set_response_header(0, "X-Amzn-SageMaker-New-Session-Id", "s-2")
        return [model, context.inference_id, context.target_model, context.session_id]
    return data

def output_fn(prediction, accept):
    if prediction == "late": return late(), "text/plain"
    if prediction == "parts": return parts(), "application/jsonlines"
    if prediction == "endless": return endless(), "text/plain"
    return repr(prediction), "text/plain"

def parts():
    yield '{"part": 1}\\n'
    deadline = time.monotonic() + 30
    while not os.path.exists("/tmp/release"):
        if time.monotonic() > deadline: raise TimeoutError("nobody released the stream")
        time.sleep(0.01)
    yield b'{"part": 2}\\n'

def late():
    yield "begun"
    raise KeyError("late")

def endless():
    try:
        while True: yield "x" * 65536
    finally: open("/tmp/closed", "w").close()
`;

suite("an answer of the app's functions", () => {
  let server: TestServer;
  beforeAll(async () => {
    await buildTestImage();
    // The requests of a test look at each other, so they are two at a time; were a stream to keep its
    // turn, those of the next tests would wait for ever.
    server = await deployServer(CODE, {}, [
      ...["--env", "MLCLI_WORKERS=1", "--env", "MLCLI_CONCURRENT_PREDICTIONS=2"],
    ]);
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  async function ask(
    word: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return await fetch(`http://127.0.0.1:${server.port}/invocations`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(word),
      signal: AbortSignal.timeout(40_000),
    });
  }

  it("goes out part by part where it is a generator", async () => {
    const response = await ask("parts");
    assertEquals(
      [response.status, ...["Content-Type", "Content-Length"].map((h) => response.headers.get(h))],
      [200, "application/jsonlines", null],
    );
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const readLine = async (): Promise<string> => {
      let line = "";
      while (!line.endsWith("\n")) line += (await reader.read()).value ?? "the end\n";
      return line;
    };
    assertEquals(await readLine(), '{"part": 1}\n');
    // The second part waits for this request.
    assertEquals(await (await ask("release")).text(), "'release'");
    assertEquals(await readLine(), '{"part": 2}\n');
    assertEquals((await reader.read()).done, true);
  });

  it("breaks off where it fails later", async () => {
    const response = await ask("late");
    assertEquals(response.status, 200);
    await assertRejects(() => response.text(), TypeError);
  });

  it("is closed where the client leaves", async () => {
    const response = await ask("endless");
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await eventually(async () => await (await ask("closed")).text() === "True");
  });

  it("knows the request's headers, and has headers of its own", async () => {
    const response = await ask("context", {
      "X-Amzn-SageMaker-Custom-Attributes": "trace=1",
      "X-Amzn-SageMaker-Inference-Id": "i-1",
      "X-Amzn-SageMaker-Target-Model": "a.tar.gz",
      "X-Amzn-SageMaker-Session-Id": "s-1",
    });
    assertEquals(await response.text(), "['/opt/ml/model', 'i-1', 'a.tar.gz', 's-1']");
    assertEquals(response.headers.get("X-Amzn-SageMaker-Custom-Attributes"), "trace=1; seen");
    assertEquals(response.headers.get("X-Amzn-SageMaker-New-Session-Id"), "s-2");
  });
});
