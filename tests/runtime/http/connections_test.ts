import { assertEquals, assertRejects } from "@std/assert";
import { Connections, type HttpRequest, readStart } from "../../../runtime/http/exchange.ts";
import { BrokenMessage } from "../../../runtime/http/messages.ts";
import { it, suite } from "../../helpers/suite.ts";

const REQUEST: HttpRequest = {
  call: "POST /invocations",
  headers: { "Content-Type": "text/csv" },
  body: [new TextEncoder().encode("1,2\n")],
};

/** Answers a connection's requests one after the other, and closes it after the last. */
function answering(connections: readonly (readonly string[])[]) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let opened = 0;
  const received: string[] = [];
  const serving = (async () => {
    for (const answers of connections) {
      const connection = await listener.accept();
      opened++;
      for (const answer of answers) {
        const buffer = new Uint8Array(65_536);
        let request = "";
        while (!/\r\n\r\n(1,2\n|.*0\r\n\r\n)$/s.test(request)) {
          const length = await connection.read(buffer);
          if (length === null) break;
          request += new TextDecoder().decode(buffer.subarray(0, length));
        }
        received.push(request);
        await connection.write(new TextEncoder().encode(answer));
      }
      connection.close();
    }
    listener.close();
  })();
  const kept = new Connections(listener.addr.port);
  const ask = async (request = REQUEST): Promise<string> =>
    await kept.exchange(request, new AbortController().signal, ({ body }) => readStart(body, 100));
  const dispose = () => kept[Symbol.dispose]();
  return { ask, received, serving, opened: () => opened, [Symbol.dispose]: dispose };
}

const answer = (text: string, more = "") =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n${more}\r\n${text}`;

suite("connections that stay open", () => {
  it("takes one again for the next request", async () => {
    using server = answering([[answer("a"), answer("b")]]);
    assertEquals([await server.ask(), await server.ask()], ["a", "b"]);
    await server.serving;
    assertEquals(server.opened(), 1);
    assertEquals(/connection:/i.test(server.received[0]!), false);
  });

  it("opens another where the server has closed it, or says that it will", async () => {
    using server = answering([
      [answer("a")],
      [answer("b", "Connection: close\r\n")],
      [answer("c")],
    ]);
    assertEquals([await server.ask(), await server.ask(), await server.ask()], ["a", "b", "c"]);
    await server.serving;
    assertEquals(server.opened(), 3);
  });

  it("opens another where the server has sent more than its answer", async () => {
    using server = answering([[answer("a") + answer("more")], [answer("b")]]);
    assertEquals([await server.ask(), await server.ask()], ["a", "b"]);
    await server.serving;
  });

  it("fails with the error of a stream that breaks off", async () => {
    using server = answering([[]]);
    // deno-lint-ignore require-yield
    async function* body() {
      await Promise.resolve();
      throw new TypeError("half a file");
    }
    await assertRejects(() => server.ask({ ...REQUEST, body: body() }), TypeError, "half a file");
    await server.serving;
  });

  it("fails where a new one is closed without an answer", async () => {
    using server = answering([[""]]);
    await assertRejects(() => server.ask(), BrokenMessage);
    await server.serving;
  });

  it("sends a stream in chunks, over a connection of its own", async () => {
    using server = answering([[answer("a")], [answer("b")]]);
    await server.ask();
    async function* body() {
      yield new TextEncoder().encode("one");
      await Promise.resolve();
      yield new TextEncoder().encode("three");
    }
    assertEquals(await server.ask({ ...REQUEST, body: body() }), "b");
    await server.serving;
    assertEquals(server.opened(), 2);
    const [head, chunks] = server.received[1]!.split("\r\n\r\n", 2);
    assertEquals(/transfer-encoding: chunked/i.test(head!), true);
    assertEquals(chunks, "3\r\none\r\n5\r\nthree\r\n0");
  });
});
