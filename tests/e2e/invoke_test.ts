import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, killOnly } from "../helpers/engine.ts";
import { type ProgramResult, resultOf } from "../helpers/program.ts";
import { deployServer, type TestServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Says what it got; fails, waits or answers otherwise when the body asks for it. */
const SERVING = `
import os, time
def model_fn(model_dir): return 1
def input_fn(body, content_type):
    if content_type == "text/unheard-of": raise ValueError("Unsupported content type: " + content_type)
    return body if isinstance(body, bytes) else body.encode(), content_type
def predict_fn(input_data, model, context):
    body, content_type = input_data
    if body == b"fail": raise RuntimeError("the model is tired")
    if body == b"release": open("/tmp/release", "w").close()
    if context.custom_attributes: context.set_custom_attributes(context.custom_attributes + "; seen")
    return input_data
def words():
    yield "one "
    deadline = time.monotonic() + 30
    while not os.path.exists("/tmp/release"):
        if time.monotonic() > deadline: raise TimeoutError("nobody released the stream")
        time.sleep(0.01)
    yield "two"
def output_fn(prediction, accept):
    body, content_type = prediction
    if body == b"words": return words()
    if body.startswith(b"\\x00"): return body
    return "%s %d %s" % (content_type, len(body), accept)
`;

async function pipe(
  app: TestApp,
  args: readonly string[],
  body: string | Uint8Array,
): Promise<ProgramResult> {
  const child = app.start(args, { stdin: "piped" });
  const writer = child.stdin.getWriter();
  await writer.write(typeof body === "string" ? new TextEncoder().encode(body) : body);
  await writer.close();
  return await resultOf(child);
}

suite("local invoke", () => {
  let server: TestServer;
  let app: TestApp;
  let invoke: string[];

  beforeAll(async () => {
    await buildTestImage();
    server = await deployServer(SERVING);
    app = server.app;
    invoke = ["local", "invoke", "--port", server.port];
  });

  afterAll(async () => await server[Symbol.asyncDispose]());

  it("sends headers to the app's functions, and says what they answer in them", async () => {
    const header = "X-Amzn-SageMaker-Custom-Attributes: trace=1";
    assertEquals(await pipe(app, [...invoke, "-", "--header", header], "[1]"), {
      code: 0,
      stdout: "application/json 3 application/json",
      stderr: "note: Custom attributes: trace=1; seen\n",
    });
  });

  it("prints the parts of a stream as the app's functions make them", async () => {
    await app.write(`${app.directory}/words.txt`, "words");
    const child = app.start([...invoke, "--stream", "words.txt"]);
    const parts = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    assertEquals((await parts.read()).value, "one ");
    // The second part waits for this request, which is answered meanwhile.
    assertEquals((await pipe(app, invoke, "release")).code, 0);
    assertEquals((await parts.read()).value, "two");
    assertEquals((await parts.read()).done, true);
    const stderr = await new Response(child.stderr).text();
    assertEquals([(await child.status).code, stderr], [0, ""]);
  });

  it("shows a refusal as an error", async () => {
    const unsupported = await pipe(app, [...invoke, "--content-type", "text/unheard-of"], "1");
    assertEquals(unsupported, {
      code: 1,
      stdout: "",
      stderr: "error: Unsupported content type: text/unheard-of (HTTP 415)\n" +
        "hint: The request was sent as text/unheard-of. Choose other types with --content-type and --accept.\n",
    });
    const failed = await pipe(app, invoke, "fail");
    assertEquals({ code: failed.code, stdout: failed.stdout }, { code: 1, stdout: "" });
    assertMatch(failed.stderr, /^error: .*the model is tired.* \(HTTP 500\)\nhint: .*local logs/);
  });

  it("says what is wrong with a file", async () => {
    const missing = await app.run([...invoke, "missing.csv"]);
    assertEquals(missing, {
      code: 2,
      stdout: "",
      stderr: "error: Cannot read missing.csv: no such file\n",
    });
    const directory = await app.run([...invoke, app.name]);
    assertEquals(directory.code, 2);
    assertMatch(directory.stderr, /^error: Cannot read .*: it is a directory\n/);
  });

  it("says that there is no server, and what has become of it", async () => {
    await using other = await makeApp();
    await other.write(`${other.directory}/a.csv`, "1");
    const none = await other.run(["local", "invoke", "-p", "1", "a.csv"]);
    assertEquals({ code: none.code, stdout: none.stdout }, { code: 1, stdout: "" });
    assertMatch(none.stderr, /^error: Container not found on port 1\nhint: /);

    await using ended = await deployServer(SERVING);
    await killOnly(ended.app.name);
    const { code, stderr } = await pipe(ended.app, ["local", "invoke", "-p", ended.port], "1");
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: The server on port \d+ does not respond: it has exited\nhint: .*logs/,
    );
  });
});
