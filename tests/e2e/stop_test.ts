import { assertEquals } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import {
  baseImage,
  buildImage,
  buildTestImage,
  containersOf,
  removeImage,
  TEST_IMAGE,
} from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { deployed, deployServer } from "../helpers/server.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Longest time for an answer, in ms. */
const TIMEOUT = 60_000;

/**
 * Answers a slow request only once the server takes no more connections, and so is being stopped:
 * with more than the buffers of a connection hold.
 */
const SERVING = `
import os, socket, time

def model_fn(model_dir): return 1

def predict_fn(data, model):
    if data == "begun": return os.path.exists("/tmp/begun")
    open("/tmp/begun", "w").close()
    deadline = time.monotonic() + 30
    while takes_connections():
        if time.monotonic() > deadline: raise TimeoutError("nobody stops the server")
        time.sleep(0.01)
    return "x" * data

def takes_connections():
    try:
        socket.create_connection(("127.0.0.1", 8080), 1).close()
    except ConnectionError:
        return False # refused, or reset while the socket was closed
    except OSError:
        pass # no answer yet
    return True
`;

/** A server of somebody's own, which answers a slow request when its handler of SIGTERM has run. */
const FOREIGN = `
import http.server, signal, socket, threading

begun, stopping, answered = (threading.Event() for _ in range(3))
signal.signal(signal.SIGTERM, lambda *_: stopping.set())

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self): self.answer(200 if self.path == "/ping" or begun.is_set() else 404, b"")
    def do_POST(self):
        begun.set()
        said = stopping.wait(30)
        self.answer(200, b"cleaned up" if said else b"no SIGTERM")
        self.wait_until_taken()
        answered.set()
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    # Docker's proxy ends with the container, and would take along what it has not passed on.
    def wait_until_taken(self):
        self.connection.settimeout(20)
        self.connection.shutdown(socket.SHUT_WR)
        self.rfile.read()

server = http.server.ThreadingHTTPServer(("", 8080), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
# A wait without an end would hear of no signal.
while not stopping.wait(1): pass
answered.wait(20)
`;

const FOREIGN_IMAGE = `mlcli-test-foreign:${crypto.randomUUID().slice(0, 8)}`;

async function buildForeign(): Promise<void> {
  const lines = [
    `FROM ${baseImage()}`,
    "COPY program.py /program.py",
    'ENTRYPOINT ["python3", "/program.py"]',
  ];
  await buildImage(FOREIGN_IMAGE, { Dockerfile: lines.join("\n"), "program.py": FOREIGN });
}

function request(port: string, path: string, body?: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "Content-Type": "application/json" },
    body,
    signal: AbortSignal.timeout(TIMEOUT),
  });
}

/** What a slow request gets in the end: its status and its text, or why there is none. */
async function answerTo(port: string, body: string): Promise<readonly unknown[]> {
  try {
    const response = await request(port, "/invocations", body);
    return [response.status, await response.text()];
  } catch (error) {
    return [Deno.inspect(error)]; // with its causes
  }
}

suite("local stop and requests under way", () => {
  beforeAll(async () => {
    await buildTestImage();
    await buildForeign();
  });
  afterAll(() => removeImage(FOREIGN_IMAGE));

  it("lets the server of an image of mlcli answer, and takes no new requests", async () => {
    await using server = await deployServer(SERVING);
    const length = 5 * 1024 ** 2;
    const slow = answerTo(server.port, String(length));
    await eventually(async () => {
      const response = await request(server.port, "/invocations", '"begun"');
      return await response.text() === '{"predictions": [true]}';
    });
    const stopped = await server.app.run(["local", "stop", "--port", server.port]);
    assertEquals([stopped.code, stopped.stderr], [0, ""]);
    const [status, text] = await slow;
    assertEquals([status, String(text).length], [200, `{"predictions": [""]}`.length + length]);
    assertEquals(await containersOf(server.app.name), []);
  });

  it("runs the SIGTERM handler of a foreign server, which answers then", async () => {
    const [name, tag] = FOREIGN_IMAGE.split(":");
    await using app = await makeApp({
      configuration: { image_name: name },
      files: { "local_test/test_dir/model/model.txt": "" },
    });
    const port = await deployed(app, "--docker-tag", tag!);
    let stopped: { readonly code: number } | undefined;
    try {
      const slow = answerTo(port, "");
      await eventually(async () => {
        const response = await request(port, "/begun");
        await response.body?.cancel();
        return response.status === 200;
      });
      stopped = await app.run(["local", "stop", "--port", port]);
      assertEquals(await slow, [200, "cleaned up"]);
      assertEquals(stopped.code, 0);
      assertEquals(await containersOf(app.name), []);
    } finally {
      if (stopped?.code !== 0) await app.run(["local", "stop", "--port", port]);
    }
  });
});

suite("local stop in another directory", () => {
  beforeAll(buildTestImage);

  it("stops no server of a clone or another app, nor does --replace, until that is said", async () => {
    await using server = await deployServer(SERVING);
    const { app, port } = server;
    const files = { "local_test/test_dir/model/model.txt": "" };
    const configuration = { image_name: TEST_IMAGE };
    // Disposed of, a clone of the same name would take the app's containers along.
    const clone = await makeApp({ name: app.name, configuration, files });
    await using other = await makeApp({ configuration, files });
    const whose = `${app.name} in ${app.directory}`;
    const refused =
      `error: The server on port ${port} belongs to another directory's app: ${whose}\n` +
      `hint: To stop it anyway: mlcli local stop --port ${port} --yes\n`;
    try {
      for (const place of [clone, other]) {
        const { code, stdout, stderr } = await place.run(["local", "stop", "--port", port]);
        assertEquals({ code, stdout, stderr }, { code: 1, stdout: "", stderr: refused });
        const replaced = await place.run(["local", "deploy", "--replace", "--port", port]);
        assertEquals([replaced.code, replaced.stdout], [1, ""]);
        assertEquals(
          replaced.stderr.split("\n")[0],
          `error: Port already in use: ${port} (by the server of ${whose})`,
        );
      }
      const serves = await request(port, "/ping");
      await serves.body?.cancel();
      assertEquals(serves.status, 200);
      const named = await other.run(["local", "stop", "--port", port, "--app-name", app.name]);
      assertEquals([named.code, named.stderr], [0, ""]);
    } finally {
      await Deno.remove(clone.directory, { recursive: true });
    }
    assertEquals(await containersOf(app.name), []);
  });
});
