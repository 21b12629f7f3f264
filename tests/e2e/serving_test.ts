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
    if "exit" in data: raise SystemExit(data["exit"])
    if "panic" in data: raise neighbour.Panic()
    if "wait" in data: wait()
    if "waiting" in data: return len(glob.glob("/tmp/waiting-*"))
    if "release" in data: open("/tmp/release", "w").close()
    if "model" in data: return {"model": model, "beside": [neighbour.Array(), float("nan")]}
    if "numbers" in data: return neighbour.Array()
    if "unknown" in data: return object()
    if "nothing" in data: return
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
class Panic(BaseException):
    def __str__(self): return 1 / 0
class Array:
    "Looks like an array of numpy."
    def tolist(self): return [[1, 2.5], [3, float("inf")]]
`;

/** Serving code with all four functions, which tell what they were given. */
const FUNCTIONS = `
import json

def model_fn(model_dir): return None

def input_fn(request_body, content_type):
    if content_type == "application/xml": raise ValueError("Unsupported content type: " + content_type)
    if request_body == "no numbers": raise ValueError("expected numbers")
    if request_body == "a bug": raise KeyError("column")
    return [type(request_body).__name__, content_type, len(request_body)]

def predict_fn(data, model): return data

def output_fn(prediction, accept):
    if accept == "text/plain": return "t\\u00ebxt", "text/plain; charset=utf-8"
    if accept == "text/broken": return "text", "text/plain\\nX: y"
    if accept == "application/octet-stream": return b"\\x00\\xff"
    if accept == "application/x-number": return 5
    if accept in ("application/json", "text/csv"): return json.dumps([*prediction, accept])
    raise ValueError("Unsupported accept type: " + accept)
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

/** An answer with a JSON body. */
function json(status: number, body: unknown): unknown {
  return { status, type: "application/json", body };
}

/** The answer with its body parsed. */
async function askJson(...args: Parameters<typeof ask>): Promise<unknown> {
  const answer = await ask(...args);
  return { ...answer, body: JSON.parse(answer.body) };
}

suite("serving with the default input_fn and output_fn", () => {
  let server: TestServer;
  beforeAll(async () => {
    await buildTestImage();
    server = await deployServer(DEFAULTS, { "prediction/neighbour.py": NEIGHBOUR });
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  it("answers /ping with 200 and nothing", async () => {
    for (const method of ["GET", "HEAD"]) {
      assertEquals(await ask(server, "", { path: "/ping", method }), {
        status: 200,
        type: null,
        body: "",
      });
    }
  });

  it("loads the model, and turns arrays and NaN into JSON", async () => {
    assertEquals(
      await askJson(server, '{"model": 1}'),
      json(200, { model: "seven", beside: [[[1, 2.5], [3, null]], null] }),
    );
  });

  it("reads CSV as rows of numbers and strings, and writes it", async () => {
    const table = '\ufeff1,2.5,red\r\n\r\n-3e2,0,"a, b"\r\n';
    assertEquals(
      await askJson(server, table, { type: "text/csv" }),
      json(200, { predictions: [[1, 2.5, "red"], [-300, 0, "a, b"]] }),
    );
    assertEquals(await ask(server, table, { type: "text/csv", accept: "text/csv" }), {
      status: 200,
      type: "text/csv; charset=utf-8",
      body: '1.0,2.5,red\n-300.0,0.0,"a, b"\n',
    });
    assertEquals(
      (await ask(server, '{"numbers": 1}', { accept: "text/csv" })).body,
      "1,2.5\n3,\n",
    );
  });

  it("takes a media type in any case and with parameters", async () => {
    for (
      const type of [
        "Text/CSV",
        "text/csv; charset=utf-8",
        'text/csv;header=absent;charset="UTF-8"',
      ]
    ) {
      assertEquals(await askJson(server, "1\n", { type }), json(200, { predictions: [[1]] }), type);
    }
    const latin = new Uint8Array([0xe9, 0x0a]);
    const type = "text/csv; charset=iso-8859-1";
    assertEquals(await askJson(server, latin, { type }), json(200, { predictions: [["\u00e9"]] }));
  });

  it("chooses the answer's type by Accept", async () => {
    const choices: Readonly<Record<string, string | null>> = {
      "*/*": "application/json",
      "application/json": "application/json",
      "TEXT/CSV": "text/csv",
      "text/*": "text/csv",
      "application/*": "application/json",
      "application/json;q=0.2, text/csv;q=0.9": "text/csv",
      "text/csv;q=0.2, application/json": "application/json",
      "text/csv;q=0.5, */*;q=0.1": "text/csv",
      "application/json;q=0, */*": "text/csv",
      "text/html, application/xml;q=0.9, */*;q=0.8": "application/json",
      "image/png": null,
      "application/json;q=0": null,
    };
    for (const [accept, expected] of Object.entries(choices)) {
      const { status, type, body } = await ask(server, "[1]", { accept });
      if (expected === null) {
        assertEquals([status, JSON.parse(body)], [406, {
          error: `Unsupported accept type: ${accept}`,
        }]);
      } else assertEquals([status, type?.split(";")[0]], [200, expected], accept);
    }
  });

  it("refuses a dict that is no table with 406, and tries the next type first", async () => {
    const dict = '{"model": 1}';
    assertEquals(
      await askJson(server, dict, { accept: "text/csv" }),
      json(406, {
        error:
          "Unsupported accept type: text/csv (a dict without `predictions` has no form in text/csv: define output_fn)",
      }),
    );
    const next = await ask(server, dict, { accept: "text/csv, */*;q=0.1" });
    assertEquals([next.status, next.type], [200, "application/json"]);
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

  it("uses a connection again, after errors too, and reads chunked bodies", async () => {
    using connection = await HttpConnection.open(server.port);
    const host = "Host: localhost";
    for (let round = 0; round < 2; round++) {
      assertEquals((await connection.exchange("GET /ping HTTP/1.1", host, "", "")).status, 200);
      assertEquals((await connection.exchange("GET /nowhere HTTP/1.1", host, "", "")).status, 404);
      const refused = await connection.exchange(
        "POST /ping HTTP/1.1",
        host,
        "Content-Length: 5",
        "",
        "hello",
      );
      assertEquals(refused.status, 405);
      const chunked = await connection.exchange(
        "POST /invocations HTTP/1.1",
        host,
        "Content-Type: text/csv",
        "Transfer-Encoding: chunked",
        "",
        "3",
        "1,2",
        "4",
        "\n3,4",
        "0",
        "",
        "",
      );
      assertEquals([chunked.status, chunked.body], [
        200,
        '{"predictions": [[1.0, 2.0], [3.0, 4.0]]}',
      ]);
    }
    await connection.send("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2));
    assertEquals([(await connection.receive()).status, (await connection.receive()).status], [
      200,
      200,
    ]);
  });

  it("refuses an unsupported content type with 415", async () => {
    for (const type of ["image/png", "text/csv; charset=klingon"]) {
      assertEquals(
        await askJson(server, "1", { type }),
        json(415, { error: `Unsupported content type: ${type}` }),
      );
    }
  });

  it("refuses a body that does not parse with 400", async () => {
    const cases: readonly [string, string | Uint8Array<ArrayBuffer>, RegExp][] = [
      ["application/json", '{"a": ', /^The body is not valid JSON: Expecting value/],
      ["application/json", "[".repeat(100_000), /^The body is not valid JSON: /],
      ["text/csv", "1,2\n3\n", /^The body is not valid CSV: row 2 has 1 fields, row 1 has 2$/],
      ["text/csv", '"open\n', /^The body is not valid CSV: /],
      ["text/csv", new Uint8Array([0xff]), /^The body is not valid utf-8: /],
      ["text/csv", "", /^The body is empty$/],
    ];
    for (const [type, body, message] of cases) {
      const answer = await ask(server, body, { type });
      assertEquals([answer.status, answer.type], [400, "application/json"]);
      assertMatch(JSON.parse(answer.body).error, message);
    }
  });

  it("refuses a body that breaks off, and what is no HTTP, with 400", async () => {
    using chunked = await HttpConnection.open(server.port);
    const broken = await chunked.exchange(
      "POST /invocations HTTP/1.1",
      "Host: localhost",
      "Transfer-Encoding: chunked",
      "",
      "zz",
      "",
    );
    assertEquals(broken.status, 400);
    assertEquals(
      JSON.parse(broken.body).error,
      "Bad request: a chunk that does not begin as one: 'zz'",
    );
    using nonsense = await HttpConnection.open(server.port);
    const refused = await nonsense.exchange("nonsense", "", "");
    assertEquals(refused.status, 400);
    assertStringIncludes(JSON.parse(refused.body).error, "Bad request");
  });

  it("takes a body of 6 MB and refuses a larger one with 413", async () => {
    const limit = 6 * 1024 ** 2;
    const text = (length: number): string => `{"x": "${"a".repeat(length - 9)}"}`;
    assertEquals(await askJson(server, text(limit)), json(200, { predictions: ["done"] }));
    const error = `The body is larger than ${limit} bytes`;
    assertEquals(await askJson(server, text(limit + 1)), json(413, { error }));
  });

  it("answers a client that reads nothing before it has sent all of a body far too large", async () => {
    using connection = await HttpConnection.open(server.port);
    const length = 80 * 1024 ** 2;
    const head = ["POST /invocations HTTP/1.1", "Host: localhost", `Content-Length: ${length}`];
    await connection.send([...head, "", ""].join("\r\n"));
    await connection.send("a".repeat(length));
    const { status, headers } = await connection.receive();
    assertEquals([status, headers.get("Connection")], [413, "close"]);
  });

  it("knows no other path and no other method", async () => {
    assertEquals(
      await askJson(server, "", { path: "/models" }),
      json(404, { error: "Not found: /models" }),
    );
    assertEquals(
      await askJson(server, "", { method: "GET" }),
      json(405, { error: "Method not allowed: GET /invocations" }),
    );
    assertEquals(
      await askJson(server, "", { path: "/ping" }),
      json(405, { error: "Method not allowed: POST /ping" }),
    );
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

    assertEquals(
      await askJson(server, '{"exit": "enough"}'),
      json(500, { error: "SystemExit: enough" }),
    );
    const unknown = await ask(server, '{"unknown": 1}');
    assertEquals(unknown.status, 500);
    assertStringIncludes(unknown.body, "predict_fn returned object");
    const nothing = await ask(server, '{"nothing": 1}');
    assertEquals(nothing.status, 500);
    assertStringIncludes(
      nothing.body,
      "TypeError: predict_fn returned None: is its return missing?",
    );
    assertStringIncludes(await serverLogWith(server, "returned None"), "is its return missing?");
  });

  it("answers 500 to what is no Exception, and cannot even say what it is", async () => {
    assertEquals(
      await askJson(server, '{"panic": true}'),
      json(500, { error: "Panic" }),
    );
  });

  it("refuses a charset that there is none of", async () => {
    for (const charset of ["undefined", "unheard-of"]) {
      const type = `text/csv; charset=${charset}`;
      assertEquals(
        await askJson(server, "1", { type }),
        json(415, { error: `Unsupported content type: ${type}` }),
      );
    }
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

  it("answers while other clients are connected and say nothing", async () => {
    // Half of them stop in the middle of a header.
    const silent = Array.from({ length: 80 }, () => HttpConnection.open(server.port));
    try {
      for (const [number, connection] of (await Promise.all(silent)).entries()) {
        if (number % 2) await connection.send("POST /invocations HTTP/1.1\r\nContent-Le");
      }
      assertEquals(await askJson(server, "[1]"), json(200, { predictions: [1] }));
    } finally {
      for (const connection of silent) (await connection)[Symbol.dispose]();
    }
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

suite("serving with the app's own functions", () => {
  let server: TestServer;
  beforeAll(async () => {
    await buildTestImage();
    server = await deployServer(FUNCTIONS);
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  it("gives input_fn text for JSON and CSV, bytes for the rest, the type without parameters", async () => {
    const cases: readonly [string, readonly unknown[]][] = [
      ["text/csv; charset=utf-8", ["str", "text/csv", 2]],
      ["Application/JSON", ["str", "application/json", 2]],
      ["application/x-npy", ["bytes", "application/x-npy", 3]],
    ];
    for (const [type, expected] of cases) {
      assertEquals(
        await askJson(server, "1\u00e9", { type }),
        json(200, [...expected, "application/json"]),
      );
    }
  });

  it("gives output_fn the type that the client likes best, and sends what it returns", async () => {
    const bodies: readonly [string, Answer][] = [
      ["text/plain, */*;q=0.1", {
        status: 200,
        type: "text/plain; charset=utf-8",
        body: "t\u00ebxt",
      }],
      ["application/octet-stream", {
        status: 200,
        type: "application/octet-stream",
        body: "\u0000\ufffd",
      }],
      ["image/png, text/csv;q=0.5", {
        status: 200,
        type: "text/csv; charset=utf-8",
        body: '["str", "application/json", 2, "text/csv"]',
      }],
    ];
    for (const [accept, answer] of bodies) {
      assertEquals(await ask(server, "12", { accept }), answer, accept);
    }
  });

  it("turns the functions' errors into 415, 406, 400 and 500", async () => {
    assertEquals(
      await askJson(server, "<a/>", { type: "application/xml" }),
      json(415, { error: "Unsupported content type: application/xml" }),
    );
    assertEquals(
      await askJson(server, "1", { accept: "image/png" }),
      json(406, { error: "Unsupported accept type: image/png" }),
    );
    assertEquals(await askJson(server, "no numbers"), json(400, { error: "expected numbers" }));
    assertEquals(await askJson(server, "a bug"), json(500, { error: "KeyError: 'column'" }));
    await serverLogWith(server, "KeyError: 'column'\n");
    // Meant for the client, or a mistake: who wrote input_fn sees it.
    await serverLogWith(server, "ValueError: expected numbers\n");
    assertEquals((await ask(server, "1", { accept: "text/broken" })).status, 500);
    assertEquals(
      await askJson(server, "1", { accept: "application/x-number" }),
      json(500, {
        error:
          "TypeError: output_fn returned int; it must return str, bytes, a generator of those, or (body, content type)",
      }),
    );
  });
});
