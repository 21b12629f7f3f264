import { joined } from "./certificates.ts";
import { closed, forward, MessageReader, send } from "./http_message.ts";

/** What a proxy lets through; what is not here it refuses. */
export interface ProxyOptions {
  /** Address of the platform in a box that requests go on to. */
  readonly target?: string;
  /** Port on this machine that tunnels lead to. */
  readonly tunnel?: number;
  /** The status of the answer to a request that is not let through. */
  readonly refusal?: string;
  /** Where it listens, if not on 127.0.0.1 alone. */
  readonly hostname?: string;
}

/** An HTTP proxy for one test. Close it with `await using`. */
export class FakeProxy implements AsyncDisposable {
  /** The head of each request that came in. */
  readonly heads: string[] = [];
  readonly #listener: Deno.TcpListener;
  readonly #hostname: string;
  readonly #connections = new Set<Deno.Conn>();
  readonly #served: Promise<void>;

  constructor({ hostname = "127.0.0.1", ...options }: ProxyOptions = {}) {
    this.#hostname = hostname;
    this.#listener = Deno.listen({ hostname, port: 0 });
    this.#served = this.#serve(options);
  }

  /** Host and port, as after `http://`. */
  get host(): string {
    return `${this.#hostname}:${this.#listener.addr.port}`;
  }

  async #serve(options: ProxyOptions): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#connections.add(connection);
      served.push(this.#handle(connection, options).finally(() => closed(connection)));
    }
    await Promise.all(served);
  }

  async #handle(
    client: Deno.Conn,
    { target, tunnel, refusal = "407 Who are you?" }: ProxyOptions,
  ): Promise<void> {
    const requests = new MessageReader(client);
    for (let request; (request = await requests.next());) {
      const { head } = request;
      this.heads.push(head);
      const isTunnel = head.startsWith("CONNECT ");
      if (isTunnel && tunnel !== undefined) {
        await send(client, "HTTP/1.1 200 OK\r\n\r\n");
        return await joined(client, { hostname: "127.0.0.1", port: tunnel });
      }
      if (isTunnel || target === undefined) {
        // Like some proxies, it repeats the request.
        const body = `<html>${head}</html>`;
        const refused = `HTTP/1.1 ${refusal}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
        return await send(client, refused);
      }
      const answer = await forward(target, request);
      await send(client, `${answer.head}\r\n\r\n${answer.body}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#connections) closed(connection);
    await this.#served;
  }
}

/** A SOCKS5 proxy for one test: all connections lead to one port. Close it with `await using`. */
export class FakeSocks implements AsyncDisposable {
  /** The hosts that were asked for. */
  readonly hosts: string[] = [];
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #served: Promise<void>;

  constructor(port: number) {
    this.#served = this.#serve(port);
  }

  /** Host and port, as after `socks5h://`. */
  get host(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async #serve(port: number): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) served.push(this.#handle(connection, port));
    await Promise.all(served);
  }

  /** RFC 1928: methods, none; then a request by name. */
  async #handle(client: Deno.Conn, port: number): Promise<void> {
    const buffer = new Uint8Array(512);
    await client.read(buffer);
    await client.write(Uint8Array.of(5, 0));
    await client.read(buffer);
    this.hosts.push(new TextDecoder().decode(buffer.subarray(5, 5 + buffer[4]!)));
    await client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    await joined(client, { hostname: "127.0.0.1", port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#served;
  }
}
