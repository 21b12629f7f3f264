import { assertEquals } from "@std/assert";
import { ping } from "../../../../runtime/local/server/ping.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("ping", () => {
  it("tells the status", async () => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("loading", { status: 503 }),
    );
    assertEquals(await ping(server.addr.port), { status: 503 });
  });

  it("is broken off by its signal, however long the server waits", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const over = new AbortController();
    const answer = ping(listener.addr.port, over.signal);
    using _silent = await listener.accept();
    over.abort(new Error("interrupted"));
    assertEquals(await answer, { failure: "interrupted" });
  });

  it("gives up on a server that says nothing", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    assertEquals(await ping(listener.addr.port), { failure: "it listens, but is not ready" });
  });

  it("knows what speaks no HTTP", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answer = ping(listener.addr.port);
    using connection = await listener.accept();
    await connection.write(new TextEncoder().encode("SSH-2.0-OpenSSH_9.2\r\n"));
    assertEquals(await answer, { failure: "no answer in HTTP" });
  });

  it("waits for an answer that comes byte by byte", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answer = ping(listener.addr.port);
    using connection = await listener.accept();
    connection.setNoDelay();
    for (const letter of "HTTP/1.1 200 OK\r\n\r\n") {
      await connection.write(new TextEncoder().encode(letter)).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve));
    }
    assertEquals(await answer, { status: 200 });
  });

  it("knows a connection that is closed without an answer", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answer = ping(listener.addr.port);
    const connection = await listener.accept();
    await connection.read(new Uint8Array(1024));
    connection.close();
    assertEquals(await answer, { failure: "it closes the connection" });
  });
});
