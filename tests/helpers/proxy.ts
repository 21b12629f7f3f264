/**
 * An HTTP proxy that knows one way: whatever host is asked for, it asks the fake platform. To
 * tunnels (`CONNECT`) it says no.
 *
 * @module
 */

/** A proxy for one test. Close it with `await using`. */
export class FakeProxy implements AsyncDisposable {
  /** The head of each request that came in. */
  readonly heads: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #served: Promise<void>;

  /** @param target where requests go on to; `undefined` when only tunnels are asked for. */
  constructor(target?: string) {
    this.#served = this.#serve(target);
  }

  /** Host and port, as after `http://`. */
  get host(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async #serve(target: string | undefined): Promise<void> {
    const connections: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      connections.push(this.#handle(connection, target));
    }
    await Promise.all(connections);
  }

  async #handle(client: Deno.Conn, target: string | undefined): Promise<void> {
    const buffer = new Uint8Array(65_536);
    const request = buffer.subarray(0, await client.read(buffer) ?? 0);
    const head = new TextDecoder().decode(request).split("\r\n\r\n")[0]!;
    this.heads.push(head);
    if (target === undefined || head.startsWith("CONNECT ")) {
      await client.write(new TextEncoder().encode("HTTP/1.1 407 Who are you?\r\n\r\n"));
      return client.close();
    }
    const { hostname, port } = new URL(target);
    const server = await Deno.connect({ hostname, port: Number(port) });
    await server.write(request);
    await Promise.allSettled([
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#served;
  }
}
