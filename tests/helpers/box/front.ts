/**
 * The box's door: TCP that is handed to the HTTP server behind it. It can break the connection of
 * one request before its answer, which Deno's HTTP server cannot on all versions.
 *
 * @module
 */

/** A port of 127.0.0.1 that leads to another one. */
export class Front implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  /** Port that the server sees to the client's connection. */
  readonly #clients = new Map<number, Deno.TcpConn>();
  readonly #serving = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  #isOver = false;

  constructor(private readonly target: number) {
    this.#accepting = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Breaks the connection that the server knows by that port. */
  breakConnection(port: number): void {
    close(this.#clients.get(port));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#listener.close();
    await this.#accepting;
    for (const client of this.#clients.values()) close(client);
    await Promise.all(this.#serving);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const serving = this.#serve(client).finally(() => this.#serving.delete(serving));
      this.#serving.add(serving);
    }
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: this.target })
      .catch(() => undefined);
    if (!server || this.#isOver) {
      close(client);
      return close(server);
    }
    client.setNoDelay();
    server.setNoDelay();
    const { port } = server.localAddr;
    this.#clients.set(port, client);
    // Whoever ends first ends both: HTTP has no use for half a connection.
    await Promise.race([copy(client, server), copy(server, client)]);
    this.#clients.delete(port);
    close(client);
    close(server);
  }
}

async function copy(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  try {
    for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
      let rest = buffer.subarray(0, length);
      while (rest.length > 0) rest = rest.subarray(await to.write(rest));
    }
  } catch {
    // One of the two is gone.
  }
}

function close(connection: Deno.Conn | undefined): void {
  try {
    connection?.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
