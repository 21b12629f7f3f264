import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { HttpConnection } from "../helpers/http_connection.ts";
import { deployServer, serverLogWith, type TestServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Serving code without input_fn and output_fn. Its predictions are what it is asked for. */
const DEFAULTS = `
import glob, os, time, uuid
import neighbour

def model_fn(model_dir):
    with open(model_dir + "/model.txt") as file: return file.read()

def predict_fn(data, model):
    if not isinstance(data, dict): return data
    if "fail" in data: neighbour.fail(data["fail"])
    if "wait" in data: wait()
    if "waiting" in data: return len(glob.glob("/tmp/waiting-*"))
    if "release" in data: open("/tmp/release", "w").close()
    return data.get("echo", "done")

def wait():
    open("/tmp/waiting-" + uuid.uuid4().hex, "w").close()
    deadline = time.monotonic() + 30
    while not os.path.exists("/tmp/release"):
        if time.monotonic() > deadline: raise TimeoutError("nobody released the prediction")
        time.sleep(0.01)
`;

const NEIGHBOUR = `
def fail(words):
    raise RuntimeError(words)
`;

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

async function ask(
  { port }: TestServer,
  body: string | Uint8Array<ArrayBuffer>,
  { type = "application/json", accept = "*/*", path = "/invocations", method = "POST" } = {},
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { "Content-Type": type, Accept: accept },
    body: method === "POST" ? body : undefined,
    signal: AbortSignal.timeout(20_000),
  });
  return {
    status: response.status,
    type: response.headers.get("Content-Type"),
    body: await response.text(),
  };
}

function json(status: number, body: unknown): unknown {
  return { status, type: "application/json", body };
}

async function askJson(...args: Parameters<typeof ask>): Promise<unknown> {
  const answer = await ask(...args);
  return { ...answer, body: JSON.parse(answer.body) };
}

suite("a server of an app", () => {
  let server: TestServer;
  beforeAll(async () => {
    await buildTestImage();
    server = await deployServer(DEFAULTS, { "prediction/neighbour.py": NEIGHBOUR });
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  it("answers what a transform job asks for", async () => {
    const answer = await ask(server, "", { path: "/execution-parameters", method: "GET" });
    const { MaxConcurrentTransforms: workers, ...others } = JSON.parse(answer.body);
    assert(workers >= 1, answer.body);
    const MaxPayloadInMB = Math.max(1, Math.min(6, Math.floor(100 / workers)));
    assertEquals(others, { BatchStrategy: "MULTI_RECORD", MaxPayloadInMB });
  });

  it("answers /ping with 200 and nothing", async () => {
    for (const method of ["GET", "HEAD"]) {
      assertEquals(await ask(server, "", { path: "/ping", method }), {
        status: 200,
        type: null,
        body: "",
      });
    }
  });

  it("answers in JSON without an Accept, and takes the body for JSON without a Content-Type", async () => {
    using connection = await HttpConnection.open(server.port);
    const { status, headers, body } = await connection.exchange(
      "POST /invocations HTTP/1.1",
      "Host: localhost",
      "Content-Length: 3",
      "",
      "[1]",
    );
    assertEquals([status, headers.get("Content-Type"), body], [
      200,
      "application/json",
      '{"predictions": [1]}',
    ]);
  });

  it("takes a body of 6 MB and refuses a larger one with 413", async () => {
    const limit = 6 * 1024 ** 2;
    const text = (length: number): string => `{"x": "${"a".repeat(length - 9)}"}`;
    assertEquals(await askJson(server, text(limit)), json(200, { predictions: ["done"] }));
    const error = `The body is larger than ${limit} bytes`;
    assertEquals(await askJson(server, text(limit + 1)), json(413, { error }));
  });

  it("answers 500 to an exception, with the user's part of the traceback in the log", async () => {
    const words = `cannot ${crypto.randomUUID()}`;
    assertEquals(
      await askJson(server, JSON.stringify({ fail: words })),
      json(500, { error: `RuntimeError: ${words}` }),
    );
    const log = await serverLogWith(server, `\nRuntimeError: ${words}\n`);
    const traceback = log.slice(log.lastIndexOf("Traceback", log.indexOf(words)));
    assertMatch(
      traceback,
      /^Traceback .*\n {2}File "\/opt\/ml\/code\/serve", line \d+, in predict_fn\n/,
    );
    assertStringIncludes(traceback, 'File "/opt/ml/code/neighbour.py", line 3, in fail\n');
    assertStringIncludes(traceback, `\nRuntimeError: ${words}\n`);
    assert(!log.includes("mlcli_harness"), log);
  });

  it("answers side by side, and /ping while predictions take their time", async () => {
    // More than there are worker processes on any machine that runs this.
    const count = 2 * navigator.hardwareConcurrency + 4;
    const slow = Promise.allSettled(
      Array.from({ length: count }, () => askJson(server, '{"wait": 1}')),
    );
    try {
      await eventually(async () => {
        const answer = await ask(server, '{"waiting": 1}');
        return answer.body === `{"predictions": [${count}]}`;
      });
      for (let round = 0; round < count; round++) {
        // A connection of its own each, so that every worker process gets its share.
        using connection = await HttpConnection.open(server.port);
        const ping = await connection.exchange("GET /ping HTTP/1.1", "Host: localhost", "", "");
        assertEquals(ping.status, 200);
      }
    } finally {
      await ask(server, '{"release": 1}');
    }
    const done = { status: "fulfilled" as const, value: json(200, { predictions: ["done"] }) };
    assertEquals(await slow, Array.from({ length: count }, () => done));
  });

  it("answers while connections are kept open by clients whose bodies it did not want", async () => {
    // A worker process has 64 threads: were each to wait on one of these, none would be left.
    const count = 64 * navigator.hardwareConcurrency + 16;
    const refused = Array.from({ length: count }, () => HttpConnection.open(server.port));
    try {
      for (const connection of await Promise.all(refused)) {
        const head = ["POST /ping HTTP/1.1", "Host: localhost", "Content-Length: 5"];
        assertEquals((await connection.exchange(...head, "", "hello")).status, 405);
      }
      assertEquals(await askJson(server, "[1]"), json(200, { predictions: [1] }));
    } finally {
      for (const connection of refused) (await connection)[Symbol.dispose]();
    }
  });
});
