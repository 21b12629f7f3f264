import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { knowsPipes } from "../../../runtime/docker/connect.ts";
import { BrokenEngine, EngineError, EngineGone } from "../../../runtime/docker/errors.ts";
import type { Address } from "../../../runtime/docker/locate.ts";
import type { Answer } from "../../../runtime/docker/answer.ts";
import { list, object } from "../../../runtime/docker/shape.ts";
import { openTransport, type Transport } from "../../../runtime/docker/transport.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { replaced } from "../../helpers/replaced.ts";
import { type RawHandler, rawServer, say, untilClosed } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

type Kind = Address["kind"];
/** How an engine is reached; to Deno, a named pipe of Windows is a socket with another path. */
const KINDS: readonly Kind[] = ["tcp", "unix", ...knowsPipes() ? ["pipe"] as const : []];

async function withTransport(
  kind: Kind,
  handle: RawHandler,
  work: (transport: Transport, calls: readonly string[]) => Promise<void>,
): Promise<void> {
  await using directory = await makeDirectory();
  const path = `${directory.path}/engine.sock`;
  await using server = rawServer(handle, kind === "tcp" ? undefined : path);
  const address: Address = kind === "tcp"
    ? { kind, host: `127.0.0.1:${server.port}`, tls: undefined }
    : { kind, path };
  const transport = await openTransport(address);
  try {
    await work(transport, server.calls);
  } finally {
    transport.close();
  }
}

const DONE = "HTTP/1.1 204 No Content\r\n\r\n";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** What an engine says, and the words for it. */
const BROKEN: Readonly<Record<string, readonly [said: string, words: RegExp]>> = {
  "says nothing": ["", /^Lost the connection to the Docker Engine \(GET \/info\): /],
  "says something else than HTTP": [
    "SSH-2.0\r\n\r\n",
    /^Lost the connection to the Docker Engine \(GET \/info\): /,
  ],
  "breaks its answer off": [
    "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
    /^Lost the connection to the Docker Engine \(GET \/info\): /,
  ],
  "breaks its answer off between two pieces": [
    `${CHUNKED}1\r\n{\r\n`,
    /^Lost the connection to the Docker Engine \(GET \/info\): /,
  ],
  "answers as nobody should": [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
    /^Unexpected response from the Docker Engine \(GET \/info\)$/,
  ],
};

for (const kind of KINDS) {
  suite(`an engine behind ${kind} that`, () => {
    for (const [what, [said, words]] of Object.entries(BROKEN)) {
      it(`${what} is a broken one`, async () => {
        await withTransport(kind, (connection) => say(connection, said), async (engine) => {
          const { message } = await assertRejects(
            async () =>
              await (await engine.request("GET", "/info", { expect: [200] })).json(object({})),
            BrokenEngine,
          );
          assertMatch(message, words);
        });
      });
    }

    it("refuses is quoted", async () => {
      const body = JSON.stringify({ message: "no such container: c1" });
      const said = `HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      await withTransport(kind, (connection) => say(connection, said), async (engine, calls) => {
        const { status, message } = await assertRejects(
          () => engine.request("POST", "/v1.44/containers/c1/start?x=1", { expect: [204] }),
          EngineError,
        );
        assertEquals(status, 404);
        assertEquals(
          message,
          "The Docker Engine refused POST /containers/c1/start (404): no such container: c1",
        );
        assertMatch(calls.join(), /^POST (http:\/\/192\.0\.2\.1)?\/v1\.44\/containers\/c1\/start$/);
      });
    });

    it("answers without a word has answered, as often as it is asked", async () => {
      await withTransport(kind, (connection) => say(connection, DONE), async (engine, calls) => {
        for (const method of ["POST", "DELETE"]) {
          const answer = await engine.request(method, "/x", { expect: [204] });
          assertEquals([answer.status, await answer.text()], [204, ""]);
        }
        assertEquals(calls.map((call) => call.replace("http://192.0.2.1", "")), [
          "POST /x",
          "DELETE /x",
        ]);
      });
    });

    it("gets JSON, headers and a stream as they are", async () => {
      const seen: string[] = [];
      const handle: RawHandler = async (connection, { headers, body }) => {
        seen.push(headers, new TextDecoder().decode(body));
        if (/^transfer-encoding: chunked/im.test(headers)) {
          for (const buffer = new Uint8Array(64); !seen.at(-1)!.endsWith("0\r\n\r\n");) {
            const count = await connection.read(buffer) ?? 0;
            seen.push(`${seen.pop()}${new TextDecoder().decode(buffer.subarray(0, count))}`);
          }
        }
        await say(connection, DONE);
      };
      await withTransport(kind, handle, async (engine) => {
        const expect = [204];
        const headers = { "X-Registry-Auth": "e30=" };
        await engine.request("POST", "/a", { expect, json: { Image: "ä" }, headers });
        const pieces = ["one", "two"].map((text) => new TextEncoder().encode(text));
        await engine.request("PUT", "/b", { expect, tar: ReadableStream.from(pieces) });
      });
      const [json, image, tar, pieces] = seen;
      assertMatch(json!, /^content-type: application\/json\r?$/im);
      assertMatch(json!, /^x-registry-auth: e30=\r?$/im);
      assertEquals(image, '{"Image":"ä"}');
      assertMatch(tar!, /^content-type: application\/x-tar\r?$/im);
      assertEquals(pieces!.replace(/^[0-9a-f]+\r\n|\r\n/gm, ""), "onetwo");
    });

    it("answers piece by piece is heard while it speaks, until nobody listens", async () => {
      const { promise: isHeard, resolve: heard } = Promise.withResolvers<void>();
      const { promise: isLeft, resolve: left } = Promise.withResolvers<void>();
      const handle: RawHandler = async (connection) => {
        await say(connection, `${CHUNKED}3\r\none\r\n`);
        await isHeard;
        await say(connection, "3\r\ntwo\r\n");
        await untilClosed(connection).catch(() => {});
        left();
      };
      await withTransport(kind, handle, async (engine) => {
        const { body } = await engine.request("GET", "/events", { expect: [200] });
        const pieces: string[] = [];
        for await (const bytes of body) {
          pieces.push(new TextDecoder().decode(bytes));
          if (pieces.length > 1) break;
          heard();
        }
        assertEquals(pieces, ["one", "two"]);
        await isLeft;
      });
    });

    it("is no longer waited for when the signal says so, with the reason for that", async () => {
      for (const said of ["", CHUNKED]) {
        const over = new AbortController();
        const { promise: isLeft, resolve: left } = Promise.withResolvers<void>();
        const handle: RawHandler = async (connection) => {
          await say(connection, said);
          over.abort(new Error("enough"));
          await untilClosed(connection).catch(() => {});
          left();
        };
        await withTransport(kind, handle, async (engine) => {
          const ask = async () => {
            const options = { expect: [200], signal: over.signal };
            return await (await engine.request("GET", "/wait", options)).text();
          };
          await assertRejects(ask, Error, "enough");
          await isLeft;
        });
      }
    });

    it("has answered is not waited for on a signal that stays", async () => {
      const said = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
      const reads: readonly ((answer: Answer) => Promise<unknown>)[] = [
        (answer) => answer.json(object({})),
        (answer) => answer.json(list(object({}))),
        (answer) => Array.fromAsync(answer.lines(object({}))),
        (answer) => Array.fromAsync(answer.body),
        (answer) => answer.discard(),
      ];
      const stay = new AbortController();
      const listening = new Set<unknown>();
      using _counted = replaced(stay.signal, {
        addEventListener: (_: string, listener: unknown) => listening.add(listener),
        removeEventListener: (_: string, listener: unknown) => listening.delete(listener),
      });
      await withTransport(kind, (connection) => say(connection, said), async (engine) => {
        const ask = (status: number) =>
          engine.request("GET", "/x", { expect: [status], signal: stay.signal });
        for (const read of reads) {
          const answer = await ask(200);
          assertEquals(listening.size, 1);
          await read(answer).catch(() => {});
          assertEquals(listening.size, 0, `${read}`);
        }
        await assertRejects(() => ask(204), BrokenEngine);
        assertEquals(listening.size, 0);
      });
    });

    it("refuses before it has read what is sent is quoted all the same", async () => {
      const body = JSON.stringify({ message: "no space left on device" });
      const handle: RawHandler = async (connection) => {
        const head = `HTTP/1.1 500 Internal Server Error\r\nContent-Length: ${body.length}`;
        await say(connection, `${head}\r\n\r\n${body}`);
        await untilClosed(connection).catch(() => {});
      };
      await withTransport(kind, handle, async (engine) => {
        const sent = new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        });
        const { reason } = await assertRejects(
          () => engine.request("POST", "/build", { expect: [200], tar: sent }),
          EngineError,
        );
        assertEquals(reason, "no space left on device");
      });
    });

    it("goes away while something is sent is named as that", async () => {
      await withTransport(kind, () => {}, async (engine) => {
        const sent = new ReadableStream<Uint8Array>({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        });
        const { message } = await assertRejects(
          () => engine.request("POST", "/build", { expect: [200], tar: sent }),
          EngineGone,
        );
        assertMatch(message, /^Lost the connection to the Docker Engine \(POST \/build\): /);
      });
    });

    it("gets a stream that breaks off does not take it for whole", async () => {
      const handle: RawHandler = async (connection) => {
        await untilClosed(connection);
        await say(connection, DONE);
      };
      await withTransport(kind, handle, async (engine) => {
        let piece = 0;
        const sent = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            if (piece++ > 0) return controller.error(new Error("the disk failed"));
            controller.enqueue(new Uint8Array(10));
          },
        });
        await assertRejects(
          () => engine.request("PUT", "/x", { expect: [204], tar: sent }),
          BrokenEngine,
          "Cannot send the files to the Docker Engine (PUT /x): the disk failed",
        );
      });
    });
  });
}
