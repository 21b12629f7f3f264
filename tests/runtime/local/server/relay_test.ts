import { assertEquals, assertMatch } from "@std/assert";
import { type Relay, relay } from "../../../../runtime/local/server/relay.ts";
import { say } from "../../../helpers/raw_server.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** A server of raw bytes, and what it got. */
interface RawBackend extends Disposable {
  readonly port: number;
  /** How many connections it had. */
  readonly connections: number;
}

/** What a server does with a connection; it is closed afterwards. */
type Handler = (connection: Deno.TcpConn) => Promise<void>;

function backend(handle: Handler): RawBackend {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  (async () => {
    for await (const connection of listener) {
      connections++;
      handle(connection).finally(() => connection.close()).catch(() => {});
    }
  })().catch(() => {});
  return {
    port: listener.addr.port,
    get connections() {
      return connections;
    },
    [Symbol.dispose]: () => listener.close(),
  };
}

/** Reads until this is there, or the end. */
async function hear(connection: Deno.Conn, wanted?: string | RegExp): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  while (true) {
    if (typeof wanted === "string" ? text.includes(wanted) : wanted?.test(text)) return text;
    const length = await connection.read(buffer);
    if (length === null) return text;
    text += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
}

/** Answers each request with a length and this text, and keeps its connection. */
function answering(text: string): Handler {
  return async (connection) => {
    while (await hear(connection, "\r\n\r\n")) {
      await say(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    }
  };
}

/** A relay to the server with the current port, and who uses it. */
class Stage implements Disposable {
  readonly #relay: Relay;
  readonly port: number;
  current: number | undefined;
  leased = 0;

  constructor(port?: number) {
    this.current = port;
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = listener.addr.port;
    this.#relay = relay(listener, () => {
      if (this.current === undefined) return undefined;
      this.leased++;
      return { port: this.current, [Symbol.dispose]: () => void this.leased-- };
    });
  }

  connect(): Promise<Deno.TcpConn> {
    return Deno.connect({ hostname: "127.0.0.1", port: this.port });
  }

  /** A lease ends when the answer was passed on: at that moment, or right after it. */
  async untilLeased(count: number): Promise<void> {
    for (let turn = 0; turn < 1000 && this.leased !== count; turn++) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    assertEquals(this.leased, count);
  }

  close(): void {
    this.#relay.close();
  }

  [Symbol.dispose](): void {
    this.#relay.end();
  }
}

/** What a client gets until the end of its connection, after it has said something. */
async function asked(stage: Stage, text: string | Uint8Array): Promise<string> {
  using client = await stage.connect();
  await say(client, text);
  return await hear(client);
}

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const LAST = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

suite("a relay", () => {
  it("keeps a client's connection when the server changes, and uses the new one at once", async () => {
    using first = backend(answering("one"));
    using second = backend(answering("two"));
    using stage = new Stage(first.port);
    using client = await stage.connect();
    const answers: string[] = [];
    for (const port of [first.port, second.port, first.port]) {
      stage.current = port;
      await say(client, GET);
      answers.push((await hear(client, /(one|two)$/)).slice(-3));
    }
    assertEquals(answers, ["one", "two", "one"]);
  });

  it("lets the server that has begun a request finish it, and says how long it is needed", async () => {
    const { promise: going, resolve: go } = Promise.withResolvers<void>();
    using slow = backend(async (connection) => {
      await hear(connection, "\r\n\r\n");
      await say(connection, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
      await going;
      await say(connection, "1\r\nb\r\n0\r\n\r\n");
      await hear(connection);
    });
    using second = backend(answering("two"));
    using stage = new Stage(slow.port);
    using client = await stage.connect();
    await say(client, GET);
    await hear(client, "1\r\na\r\n");
    stage.current = second.port;
    assertMatch(await asked(stage, LAST), /two/);
    await stage.untilLeased(1);
    go();
    assertEquals(await hear(client, "0\r\n\r\n"), "1\r\nb\r\n0\r\n\r\n");
    await say(client, LAST);
    assertMatch(await hear(client), /two$/);
    await stage.untilLeased(0);
  });

  it("changes not a byte of a request or of its answer", async () => {
    let got = "";
    const answer = "HTTP/1.1 418 Quite So\r\nx-One:  a\r\nX-ONE: b\r\nConnection: close\r\n" +
      "Content-Encoding: gzip\r\n\r\n\x1f\x8b\x00\x01";
    using server = backend(async (connection) => {
      got = await hear(connection, "xyz");
      await say(connection, answer);
    });
    using stage = new Stage(server.port);
    const request = "POST /a%20b?c=d HTTP/1.1\r\nhOST: localhost:8080\r\nX-A: 1\r\nX-A: 2\r\n" +
      "Origin: null\r\nContent-Length: 3\r\n\r\nxyz";
    assertEquals(await asked(stage, request), answer);
    assertEquals(got, request);
  });

  it("passes 100 Continue on before the body, and a body in chunks as it is", async () => {
    using server = backend(async (connection) => {
      await hear(connection, "\r\n\r\n");
      await say(connection, "HTTP/1.1 100 Continue\r\n\r\n");
      const body = await hear(connection, "0\r\n\r\n");
      await say(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      await hear(connection);
    });
    using stage = new Stage(server.port);
    using client = await stage.connect();
    const fields = "Host: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n";
    await say(client, `POST / HTTP/1.1\r\n${fields}`);
    assertEquals(await hear(client, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    await say(client, "3;x=y\r\nabc\r\n0\r\n\r\n");
    assertMatch(await hear(client, "0\r\n\r\n"), /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n3;x=y\r\nabc/s);
  });

  it("passes large bodies both ways at once", async () => {
    const SIZE = 8 * 1024 ** 2;
    using server = backend(async (connection) => {
      await hear(connection, "\r\n\r\n");
      await say(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
      const buffer = new Uint8Array(65_536);
      // What is read goes back: neither side holds all of it.
      for (let left = SIZE; left > 0;) {
        const length = await connection.read(buffer);
        if (length === null) return;
        await say(connection, buffer.slice(0, length));
        left -= length;
      }
    });
    using stage = new Stage(server.port);
    using client = await stage.connect();
    const fields = `Content-Length: ${SIZE}\r\nConnection: close\r\n\r\n`;
    await say(client, `POST / HTTP/1.1\r\n${fields}`);
    await hear(client, "\r\n\r\n");
    const sending = say(client, new Uint8Array(SIZE).fill(97));
    let length = 0;
    const buffer = new Uint8Array(65_536);
    for (let read = await client.read(buffer); read !== null; read = await client.read(buffer)) {
      length += read;
    }
    await sending;
    assertEquals(length, SIZE);
  });

  it("passes a refusal on that comes before the whole body, and ends the connection", async () => {
    using server = backend(async (connection) => {
      await hear(connection, "\r\n\r\n");
      await say(
        connection,
        "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno!",
      );
    });
    using stage = new Stage(server.port);
    using client = await stage.connect();
    await say(client, "POST / HTTP/1.1\r\nContent-Length: 50000000\r\n\r\n");
    const sending = say(client, new Uint8Array(4 * 1024 ** 2)).catch(() => {});
    assertMatch(await hear(client, "no!"), /^HTTP\/1\.1 413 /);
    client.close();
    await sending;
  });

  it("answers several requests that come at once one after another", async () => {
    using server = backend(answering("one"));
    using stage = new Stage(server.port);
    const answer = await asked(stage, GET + GET + LAST);
    assertEquals(answer.match(/one/g)?.length, 3);
    assertEquals(server.connections, 3);
  });

  it("breaks an answer off that the server breaks off", async () => {
    using server = backend(async (connection) => {
      await hear(connection, "\r\n\r\n");
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    });
    using stage = new Stage(server.port);
    assertMatch(await asked(stage, GET), /\r\n\r\nabc$/);
  });

  it("tells the server that a client went away in the middle of its body", async () => {
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    using server = backend(async (connection) => resolve(await hear(connection)));
    using stage = new Stage(server.port);
    const client = await stage.connect();
    await say(client, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
    client.close();
    assertMatch(await heard, /abc$/);
  });

  for (
    const [title, handle, status] of [
      ["there is no server", undefined, 503],
      ["the server says nothing", () => Promise.resolve(), 502],
      [
        "the server says half a head",
        (connection: Deno.TcpConn) => say(connection, "HTTP/1.1 2"),
        502,
      ],
    ] as const
  ) {
    it(`answers ${status} where ${title}`, async () => {
      using server = backend(handle ?? (() => Promise.resolve()));
      using stage = new Stage(handle && server.port);
      const answer = await asked(stage, GET);
      assertMatch(
        answer,
        new RegExp(`^HTTP/1\\.1 ${status} .*\r\n\r\n\\{"error":"The server `, "s"),
      );
    });
  }

  it("answers 502 where nobody listens any more", async () => {
    const gone = backend(answering(""));
    gone[Symbol.dispose]();
    using stage = new Stage(gone.port);
    assertMatch(await asked(stage, GET), /^HTTP\/1\.1 502 /);
  });

  it("closed, answers those who are there, and lets nobody in", async () => {
    using server = backend(answering("one"));
    using stage = new Stage(server.port);
    using client = await stage.connect();
    await say(client, GET);
    await hear(client, "one");
    stage.close();
    await say(client, LAST);
    assertMatch(await hear(client), /one$/);
    const refused = await stage.connect().then((late) => (late.close(), false), () => true);
    assertEquals(refused, true);
  });
});
