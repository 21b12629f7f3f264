/**
 * The box's door: TCP that is handed to the HTTP server behind it. It can break the connection of
 * one request before its answer, which Deno's HTTP server cannot on all versions.
 */

/** How many bytes pass on one connection before it is cut, and how many connections are. */
export interface Cut {
  /** To the platform. */
  readonly sent?: number;
  /** From the platform. */
  readonly received?: number;
  /** How many connections; all by default. */
  readonly times?: number;
}

/** A port of 127.0.0.1 that leads to another one. */
export class Front implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  /** Port that the server sees to the client's connection. */
  readonly #clients = new Map<number, Deno.TcpConn>();
  readonly #serving = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  #isOver = false;
  #cut: Cut = {};
  #cutsLeft = 0;

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

  /** From now on, connections are cut when so many bytes have passed, as some proxies do. */
  cutAfter(cut: Cut): void {
    this.#cut = cut;
    this.#cutsLeft = cut.times ?? Infinity;
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
    const { sent, received } = this.#cut;
    // A connection that ends before is none of those.
    const isCut = () => this.#cutsLeft-- > 0;
    await Promise.race([copy(client, server, isCut, sent), copy(server, client, isCut, received)]);
    this.#clients.delete(port);
    close(client);
    close(server);
  }
}

/** Passes all on, until one of the two ends, or so many bytes have passed and it is to be cut then. */
async function copy(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  isCut: () => boolean,
  most = Infinity,
): Promise<void> {
  const buffer = new Uint8Array(65_536);
  let left = most;
  try {
    for (let length = await from.read(buffer); length !== null; length = await from.read(buffer)) {
      if (length > left && isCut()) return;
      left = length > left ? Infinity : left - length;
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
