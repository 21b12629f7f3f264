import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  type ConnectOptions,
  connectToEngine,
  knowsPipes,
} from "../../../runtime/docker/connect.ts";
import type { Engine } from "../../../runtime/docker/engine.ts";
import { BrokenEngine, EngineError } from "../../../runtime/docker/errors.ts";
import { SilentEngine } from "../../../runtime/docker/time_limits.ts";
import { upgrade } from "../../../runtime/docker/upgrade.ts";
import { abortOf, deadlineIn } from "../../../runtime/time.ts";
import { Authority } from "../../helpers/certificates.ts";
import { inTime } from "../../helpers/in_time.ts";
import { type RawHandler, rawServer, say, untilClosed } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

const PONG = "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 2\r\n\r\nOK";
const UPGRADED = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

/** Values of DOCKER_HOST. (A named pipe's path may be a socket's: see `runtime/docker/pipe.ts`.) */
const HOSTS = {
  tcp: (_: string, port: string) => `tcp://localhost:${port}`,
  tls: (_: string, port: string) => `tcp://localhost:${port}`,
  unix: (socket: string) => `unix://${socket}`,
  pipe: (socket: string) => `npipe://${socket}`,
} as const;

/** Attaches to a container on an engine that answers as the test says. */
async function withAttached<T>(
  answer: RawHandler,
  work: (engine: Engine, requests: readonly string[]) => Promise<T>,
  kind: "tcp" | "unix" | "pipe" | "tls" = "tcp",
  limits: ConnectOptions["limits"] = {},
): Promise<T> {
  await using authority = kind === "tls" ? await Authority.make() : undefined;
  const requests: string[] = [];
  const directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  const socket = `${directory}/engine.sock`;
  await using server = rawServer(
    async (connection, request) => {
      if (request.call.endsWith("/_ping")) return await say(connection, PONG);
      requests.push(request.headers);
      await answer(connection, request);
    },
    kind === "unix" || kind === "pipe" ? socket : undefined,
    await authority?.certify("localhost"),
  );
  if (authority) await Deno.copyFile(authority.file, `${directory}/ca.pem`);
  const variables: Readonly<Record<string, string>> = {
    DOCKER_HOST: HOSTS[kind](socket, server.port),
    ...kind === "tls" ? { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: directory } : {},
  };
  const engine = await connectToEngine({ env: (name) => variables[name] }, { limits });
  try {
    return await inTime(work(engine, requests));
  } finally {
    engine.close();
    await Deno.remove(directory, { recursive: true });
  }
}

/** Attaches, sends some texts and their end, and reads all that comes. */
async function talk(engine: Engine, ...texts: readonly string[]): Promise<string> {
  const over = new AbortController();
  const connection = await engine.attachWithInput("c1", over.signal);
  try {
    for (const text of texts) await connection.write(new TextEncoder().encode(text));
    await connection.end();
    return await new Response(ReadableStream.from(connection.output)).text();
  } finally {
    over.abort();
  }
}

/** Says in pieces what it hears until the end of that. */
const echo: RawHandler = async (connection) => {
  // The head in two pieces, and output right behind it.
  await say(connection, UPGRADED.slice(0, 30));
  await say(connection, `${UPGRADED.slice(30)}hello `);
  const buffer = new Uint8Array(1024);
  for (let count; (count = await connection.read(buffer)) !== null;) {
    await say(connection, buffer.slice(0, count));
  }
  await say(connection, " bye");
};

const PIPE = knowsPipes() ? ["pipe"] as const : [];

suite("a connection with input", () => {
  for (const kind of ["tcp", "unix", "tls", ...PIPE] as const) {
    it(`carries bytes both ways, over ${kind}, also after the end of the input`, async () => {
      await withAttached(echo, async (engine, requests) => {
        assertEquals(await talk(engine, "a", "b"), "hello ab bye");
        assertMatch(requests[0]!, /^POST \/v1\.41\/containers\/c1\/attach\?stream=1&stdin=1&/);
        assertMatch(requests[0]!, /\r\nConnection: Upgrade\r\nUpgrade: tcp$/);
        assertMatch(requests[0]!, /&detachKeys=ctrl-%5E%2C/);
      }, kind);
    });
  }

  it("works, too, where the engine answers 200 in place of 101", async () => {
    const handle: RawHandler = async (connection) => {
      await say(connection, "HTTP/1.1 200 OK\r\nContent-Type: x\r\n\r\nout");
    };
    assertEquals(await withAttached(handle, (engine) => talk(engine)), "out");
  });

  it("is waited for as long as any other call, and no longer", async () => {
    const over = new AbortController();
    const limits: number[] = [];
    const after = (seconds: number, call: string) => {
      if (!call.endsWith("/attach")) return new AbortController().signal;
      limits.push(seconds);
      return seconds === 60 ? AbortSignal.timeout(10) : over.signal;
    };
    // It says nothing. Where nobody has a limit, it goes away, and the test is at its end, too.
    const answer: RawHandler = async (connection) => {
      using late = deadlineIn(2);
      await Promise.race([untilClosed(connection), abortOf(late.signal)]);
    };
    await withAttached(
      answer,
      async (engine) => {
        await assertRejects(() => engine.attachWithInput("c1", over.signal), SilentEngine);
      },
      "tcp",
      { after },
    );
    assertEquals(limits[0], 60);
  });

  it("is refused in the engine's words", async () => {
    const body = JSON.stringify({ message: "container c1 is paused" });
    const handle: RawHandler = async (connection) => {
      await say(connection, `HTTP/1.1 409 Conflict\r\nContent-Length: ${body.length}\r\n\r\n`);
      await say(connection, body);
      // As an engine does, which would take another request.
      await connection.read(new Uint8Array(1));
    };
    const { status, reason } = await assertRejects(
      () => withAttached(handle, (engine) => talk(engine)),
      EngineError,
    );
    assertEquals([status, reason], [409, "container c1 is paused"]);
  });

  it("is closed where it is no longer needed before it is open", async () => {
    await using server = rawServer((connection) => say(connection, UPGRADED));
    const over = new AbortController();
    const address = { kind: "tcp", host: `localhost:${server.port}`, tls: undefined } as const;
    const opened = upgrade(address, undefined, "/", over.signal);
    over.abort();
    await assertRejects(() => opened, Deno.errors.BadResource);
  });

  for (const kind of ["tcp", ...PIPE] as const) {
    for (const said of ["", "HTTP/1.1 10", "SSH-2.0\r\n\r\n"]) {
      it(`is none where the engine says ${JSON.stringify(said)}, over ${kind}`, async () => {
        const handle: RawHandler = (connection) => say(connection, said);
        const { message } = await assertRejects(
          () => withAttached(handle, (engine) => talk(engine), kind),
          BrokenEngine,
        );
        assertMatch(
          message,
          /^Lost the connection to the Docker Engine \(POST \S+\): no HTTP response/,
        );
      });
    }

    it(`ends when it is no longer needed, with the reason for that, over ${kind}`, async () => {
      const handle: RawHandler = async (connection) => {
        await say(connection, `${UPGRADED}x`);
        await connection.read(new Uint8Array(1));
      };
      await withAttached(handle, async (engine) => {
        const over = new AbortController();
        const connection = await engine.attachWithInput("c1", over.signal);
        const read = async () => {
          for await (const _ of connection.output) over.abort(new Error("enough"));
        };
        await assertRejects(read, Error, "enough");
      }, kind);
    });
  }
});
