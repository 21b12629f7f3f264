import { assertEquals, assertRejects } from "@std/assert";
import {
  logTail,
  ping,
  type PingProgress,
  pingUntilReady,
  untilReady,
  waitBetween,
} from "../../../runtime/serving/ready.ts";
import type { PingAnswer } from "../../../runtime/serving/diagnosis.ts";
import { freePort } from "../../../runtime/serving/ports.ts";
import { it, suite } from "../../helpers/suite.ts";
import { frame } from "../../helpers/fake_containers.ts";
import { clientOf, fakeEngine, never, pong, refusal } from "../../helpers/fake_engine.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import { type RawHandler, rawServer, say, untilClosed } from "../../helpers/raw_server.ts";

suite("ping", () => {
  it("tells the status", async () => {
    await using server = pingServer(0, 503);
    assertEquals(await ping(server.port), { status: 503 });
  });

  it("is broken off by its signal, however long the server waits", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const over = new AbortController();
    const answer = ping(listener.addr.port, over.signal);
    using _silent = await listener.accept();
    over.abort(new Error("interrupted"));
    assertEquals(await answer, { failure: "interrupted" });
  });

  const byteByByte: RawHandler = async (connection) => {
    (connection as Deno.TcpConn).setNoDelay();
    for (const letter of "HTTP/1.1 200 OK\r\n\r\n") {
      await say(connection, letter);
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  const odd = "HTTP/1.1 200 OK\r\nno header\r\nContent-Length: x\r\n\r\n";
  for (
    const [title, handle, answer] of [
      [
        "gives up on a server that says nothing",
        untilClosed,
        { failure: "it accepts connections but does not respond" },
      ],
      ["knows what speaks no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", {
        failure: "the response is not HTTP",
      }],
      ["looks at the status alone, whatever the headers are", odd, { status: 200 }],
      ["waits for an answer that comes byte by byte", byteByByte, { status: 200 }],
      [
        "knows a connection that is closed without an answer",
        () => {},
        { failure: "it closed the connection" },
      ],
    ] as const
  ) {
    it(title, async () => {
      await using server = rawServer(
        typeof handle === "string" ? (connection) => say(connection, handle) : handle,
      );
      assertEquals(await ping(Number(server.port)), answer);
    });
  }
});

/** A server whose answers are these statuses, the last one for ever. */
function saying(...statuses: readonly number[]) {
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (_, { remoteAddr }) => {
      const status = statuses[Math.min(asked.length, statuses.length - 1)]!;
      asked.push(`${(remoteAddr as Deno.NetAddr).port}`);
      return new Response(null, { status });
    },
  );
  return {
    port: server.addr.port,
    /** The ports on the other side of the connections. */
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

suite("asking until a server is ready", () => {
  /** What else was answered, and whether there was a 200 before. */
  const until = async (port: number, signal = new AbortController().signal) => {
    const heard: (readonly [PingAnswer["status"], boolean])[] = [];
    const waits: PingProgress[] = [];
    await pingUntilReady(port, signal, ({ status }, was) => heard.push([status, was]), (asked) => {
      waits.push(asked);
      return 0;
    });
    return { heard, waits: waits.map(({ ready, refused }) => [ready, refused]) };
  };

  for (
    const [title, statuses, heard, waits] of [
      ["three times 200", [200], [], [[1, 0], [2, 0]]],
      ["503 twice, then 200", [503, 503, 200], [[503, false], [503, false]], [
        [0, 1],
        [0, 2],
        [1, 0],
        [2, 0],
      ]],
      ["200 once, 500, then 200", [200, 500, 200], [[500, true]], [
        [1, 0],
        [0, 1],
        [1, 0],
        [2, 0],
      ]],
      ["200 twice, 404, 200 once, 500, then 200", [200, 200, 404, 200, 500, 200], [
        [404, true],
        [500, true],
      ], [[1, 0], [2, 0], [0, 1], [1, 0], [0, 2], [1, 0], [2, 0]]],
    ] as const
  ) {
    it(`ends after three answers of 200 in a row: ${title}`, async () => {
      await using server = saying(...statuses);
      assertEquals(await until(server.port), { heard, waits } as never);
      assertEquals(server.asked.length, waits.length + 1);
      assertEquals(new Set(server.asked).size, server.asked.length, "a new connection each time");
    });
  }

  it("goes on after a single 200, until it is told to stop", async () => {
    await using server = saying(200, 500);
    const over = new AbortController();
    let count = 0;
    const asking = pingUntilReady(server.port, over.signal, ({ status }, wasReady) => {
      assertEquals([status, wasReady], [500, true]);
      if (++count === 5) over.abort(new Error("enough"));
    }, () => 0);
    assertEquals((await asking.catch((error) => error)).message, "enough");
    assertEquals(server.asked.length, 6);
  });

  it("counts a connection that is closed without an answer as no answer", async () => {
    await using server = rawServer(() => {});
    const over = new AbortController();
    const waits: number[] = [];
    const port = Number(server.port);
    const asking = pingUntilReady(port, over.signal, () => {}, ({ refused }) => {
      if (waits.push(refused) === 3) over.abort(new Error("enough"));
      return 0;
    });
    assertEquals((await asking.catch((error) => error)).message, "enough");
    assertEquals(waits, [0, 0, 0]);
  });
});

suite("the time between two attempts", () => {
  const nobody = { ready: 0, refused: 0 };
  const rows: readonly (readonly [PingProgress, number])[] = [
    [{ ...nobody, elapsed: 0 }, 5],
    [{ ...nobody, elapsed: 250 }, 5],
    [{ ...nobody, elapsed: 1_000 }, 20],
    [{ ...nobody, elapsed: 60_000 }, 500],
    // Somebody answers: 100 ms, and longer each time.
    [{ ready: 0, refused: 1, elapsed: 3 }, 100],
    [{ ready: 0, refused: 2, elapsed: 110 }, 125],
    [{ ready: 0, refused: 3, elapsed: 240 }, 156.25],
    [{ ready: 0, refused: 9, elapsed: 2_000 }, 500],
    [{ ready: 0, refused: 1, elapsed: 10_000 }, 200],
    [{ ready: 0, refused: 5_000, elapsed: 3_600_000 }, 500],
    // The second and the third look at a server that is ready cost nothing.
    [{ ready: 1, refused: 0, elapsed: 200_000 }, 3],
    [{ ready: 2, refused: 0, elapsed: 200_000 }, 3],
  ];
  for (const [asked, expected] of rows) {
    it(`${JSON.stringify(asked)}: ${expected} ms`, () => {
      assertEquals(waitBetween(asked), expected);
    });
  }
});

async function tailOf(...pieces: readonly string[]): Promise<string | undefined> {
  await using fake = await fakeEngine({
    "GET /_ping": () => pong("1.44"),
    "GET /containers/c/logs": () =>
      new Response(new Blob(pieces.map((text) => frame(1, text).slice()))),
  });
  using engine = await clientOf(fake);
  return await logTail(engine, "c");
}

suite("the end of a container's log", () => {
  it("is what it wrote last", async () => {
    assertEquals(await tailOf("one\n", "two\n"), "one\ntwo\n");
    assertEquals(await tailOf(), undefined);
  });

  it("fills no screen, however long a line is", async () => {
    const tail = await tailOf(...Array(30).fill("a".repeat(16_000)), "the end\n");
    assertEquals([tail?.length, tail?.endsWith("aathe end\n")], [16_384, true]);
  });
});

const forEver = new Promise<never>(() => {});

suite("the wait for a server", () => {
  it("is over in time, though the engine hangs", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "POST /containers/c/wait": never,
    });
    using engine = await clientOf(fake);
    const { signal } = new AbortController();
    // Nothing listens on this port.
    const wait = { seconds: 0.1, signal, onStuck: () => {} };
    assertEquals(await untilReady(engine, { id: "c", port: 1 }, wait), {
      kind: "late",
      words: "the Docker Engine does not respond",
      hint: undefined,
      wasReady: false,
    });
  });

  const listening = "  sl  local_address\n   0: 0100007F:1388 00000000:0000 0A \n";
  for (
    const { title, studio = {}, words } of [
      {
        title: "untilReady tells which port is open in the container, and goes on",
        words: "it listens on 127.0.0.1:5000 in the container, but must listen on " +
          "0.0.0.0:8080",
      },
      {
        title: "untilReady does not look into the network of a space of SageMaker Studio",
        studio: { inStudio: true },
        words: "it does not respond on port 8080, and its open ports are unknown",
      },
    ]
  ) {
    it(title, async () => {
      await using fake = await fakeEngine({
        "GET /_ping": () => pong("1.44"),
        "POST /containers/c/wait": never,
        "POST /containers/c/exec": () => Response.json({ Id: "e" }, { status: 201 }),
        "POST /exec/e/start": () => new Response(new Blob([frame(1, listening).slice()])),
      });
      using real = await clientOf(fake);
      const engine = { ...real, ...studio, wait: () => Promise.resolve({ status: forEver }) };
      const told = Promise.withResolvers<string>();
      const over = new AbortController();
      let time = 0;
      const wait = {
        seconds: 60,
        signal: over.signal,
        onStuck: told.resolve,
        now: () => time += 5_000,
      };
      // Nothing listens on this port.
      const waiting = untilReady(engine, { id: "c", port: 1 }, wait);
      assertEquals(await told.promise, words);
      over.abort(new Error("enough"));
      assertEquals((await waiting.catch((error) => error)).message, "enough");
    });
  }

  it("untilReady tells nothing if the server opens its port while mlcli looks for the reason", async () => {
    const port = freePort();
    let server: Deno.HttpServer | undefined;
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "POST /containers/c/exec": () => {
        const options = { hostname: "127.0.0.1", port, onListen: () => {} };
        server ??= Deno.serve(options, () => new Response());
        return Response.json({ Id: "e" }, { status: 201 });
      },
      "POST /exec/e/start": () => new Response(new Blob([frame(1, listening).slice()])),
    });
    using real = await clientOf(fake);
    const engine = { ...real, wait: () => Promise.resolve({ status: forEver }) };
    const told: string[] = [];
    let time = 0;
    const readiness = await untilReady(engine, { id: "c", port }, {
      seconds: 60,
      signal: new AbortController().signal,
      onStuck: (words) => told.push(words),
      now: () => time += 5_000,
    });
    await server?.shutdown();
    assertEquals({ readiness, told }, { readiness: { kind: "ready" }, told: [] });
  });

  it("untilReady fails if the reason cannot be told", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "POST /containers/c/wait": never,
    });
    using real = await clientOf(fake);
    const runs = () => Promise.resolve({ status: forEver });
    const engine = { ...real, inStudio: true, wait: runs };
    let time = 0;
    const wait = {
      seconds: 60,
      signal: new AbortController().signal,
      onStuck: () => {
        throw new Error("closed");
      },
      now: () => time += 5_000,
    };
    await assertRejects(() => untilReady(engine, { id: "c", port: 1 }, wait), Error, "closed");
  });

  it("logTail returns undefined if the engine cannot read the log driver", async () => {
    // https://github.com/praekeltfoundation/seaworthy/issues/93: the wait for a container failed with
    // the engine's 501, instead of the reason why the container had ended.
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "GET /containers/c/logs": () =>
        refusal(501, "configured logging driver does not support reading"),
    });
    using engine = await clientOf(fake);
    assertEquals(await logTail(engine, "c"), undefined);
  });

  it("ends without the server's log, where the engine does not give it", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "GET /containers/c/logs": never,
    });
    using engine = await clientOf(fake, { limits: { after: () => AbortSignal.timeout(1) } });
    assertEquals(await logTail(engine, "c"), undefined);
  });
});
