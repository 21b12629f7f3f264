import { assertEquals } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { HttpConnection } from "../helpers/http_connection.ts";
import { type ServingContainer, withServing } from "../helpers/serving_container.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SERVING = `
import itertools, time

def model_fn(model_dir): return 1

def predict_fn(data, model):
    if not isinstance(data, dict): return data
    time.sleep(data.get("seconds", 0))
    return "x" * data.get("bytes", 0) if "bytes" in data else data

def output_fn(prediction, accept):
    if accept == "text/plain": return (b"x" * 65536 for _ in itertools.count())
    import json
    return json.dumps(prediction)
`;

const PING = "GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Longest time (ms) from SIGTERM to the end of a container, whatever its clients do. */
const END = 6_000;
/** A machine that is busy with other tests can be late once, but not each time. */
const TRIES = 3;
/** Where requests are under way, they need some of it. */
const LONG_END = 2 * END;

/** A request for a prediction; the body may be longer than what is sent of it now. */
function post(body: string, length = body.length, ...headers: readonly string[]): string {
  const head = ["POST /invocations HTTP/1.1", "Host: localhost", `Content-Length: ${length}`];
  return [...head, ...headers, "", body].join("\r\n");
}

/** Connections that are closed at the end. */
class Clients extends DisposableStack {
  constructor(private readonly server: ServingContainer) {
    super();
  }

  /** Opens a connection, and sends something. */
  async send(text: string): Promise<HttpConnection> {
    const { hostname, port } = this.server;
    const connection = this.use(await HttpConnection.open(String(port), hostname));
    await connection.send(text);
    return connection;
  }
}

/** Waits until the server has read what was sent before: it answers in the order of arrival. */
async function hasRead(clients: Clients): Promise<void> {
  // Each worker: new connections go to both.
  for (let round = 0; round < 10; round++) {
    assertEquals((await (await clients.send(PING)).receive()).status, 200);
  }
}

/** What clients do at SIGTERM: nothing of it may hold the server up. */
const HOLDING: Readonly<Record<string, (clients: Clients) => Promise<unknown>>> = {
  "three half-sent requests": async (clients) => {
    await clients.send("POST /invocations HTTP/1.1\r\nContent-Le");
    await clients.send(post("[1", 3));
    await clients.send("G");
  },
  "64 half-sent requests a worker": async (clients) => {
    for (let count = 0; count < 128; count++) {
      await clients.send(count % 2 ? "POST /invocations HTTP/1.1\r\nContent-Le" : post("[1", 3));
    }
  },
  "large answers that nobody reads": async (clients) => {
    for (let count = 0; count < 4; count++) await clients.send(post('{"bytes": 5000000}'));
  },
  "a stream that nobody reads": async (clients) => {
    const client = await clients.send(post("[1]", 3, "Accept: text/plain"));
    assertEquals(await client.readHead(), "HTTP/1.1 200 OK");
  },
};

suite("a server that is stopped", () => {
  beforeAll(buildTestImage);

  it("ends within 6 seconds, whatever its clients do", async () => {
    const stop = (act: (clients: Clients) => Promise<unknown>) =>
      withServing(SERVING, {}, async (server) => {
        using clients = new Clients(server);
        await act(clients);
        await hasRead(clients);
        return await server.stop();
      });
    const rows = Object.entries(HOLDING).map(async ([name, act]): Promise<readonly unknown[]> => {
      for (let left = TRIES - 1;; left--) {
        const { took, status, log } = await stop(act);
        if (took < END || left === 0) return [name, took < END || took, status, log];
      }
    });
    // All of them end, so that each shows what became of it.
    const ended = await Promise.allSettled(rows);
    const expected = Object.keys(HOLDING).map((name) => ({
      status: "fulfilled" as const,
      value: [name, true, 0, ""],
    }));
    assertEquals(ended, expected);
  });

  it("answers the requests that are under way, and closes what is idle", async () => {
    await withServing(SERVING, {}, async (server) => {
      using clients = new Clients(server);
      const idle = await clients.send(PING);
      assertEquals((await idle.receive()).status, 200);
      const predicted = await clients.send(post('{"seconds": 1.5}'));
      const half = await clients.send(post("[1", 3));
      await hasRead(clients);

      const stopped = server.stop();
      // A connection that is idle is the first to be closed.
      assertEquals(await lastOf(idle), "");
      await half.send("]");
      for (const [client, body] of [[predicted, '{"seconds": 1.5}'], [half, "[1]"]] as const) {
        const answer = await client.receive();
        assertEquals([answer.status, answer.body], [200, body]);
        assertEquals(await lastOf(client), "");
      }
      const { took, status, log } = await stopped;
      assertEquals([took < LONG_END || took, status, log], [true, 0, ""]);
    });
  });
});

/** What comes until the server closes the connection, beside whole answers. */
async function lastOf(client: HttpConnection): Promise<string> {
  await client.receive().catch(() => {});
  return client.received;
}
