/**
 * A server that speaks as its handler says, byte by byte: for answers that no proper server gives.
 */

import type { Certificate } from "./certificates.ts";

/** A request: its line and headers, and its body if that has a length. */
export interface RawRequest {
  /** Method and target as they came, without a query: `POST /invocations` */
  readonly call: string;
  readonly headers: string;
  readonly body: Uint8Array;
}

/** Says something on a connection, which is closed when it returns. */
export type RawHandler = (connection: Deno.Conn, request: RawRequest) => Promise<void> | void;

/** A server that listens, on TCP at 127.0.0.1 or on a socket. */
export interface RawServer extends AsyncDisposable {
  /** Of TCP. */
  readonly port: string;
  /** Calls so far. */
  readonly calls: readonly string[];
}

/** Starts one, on a port (with a certificate: of TLS) or on the socket that is named. */
export function rawServer(
  handle: RawHandler,
  socket?: string,
  certificate?: Certificate,
): RawServer {
  const tcp = { hostname: "127.0.0.1", port: 0 };
  const listener: Deno.Listener = socket !== undefined
    ? Deno.listen({ transport: "unix", path: socket })
    : certificate === undefined
    ? Deno.listen(tcp)
    : Deno.listenTls({ ...tcp, ...certificate });
  const calls: string[] = [];
  const open = new Set<Deno.Conn>();
  const close = (connection: Deno.Conn): void => {
    if (open.delete(connection)) connection.close();
  };
  async function serve(connection: Deno.Conn): Promise<void> {
    open.add(connection);
    try {
      const request = await readRequest(connection);
      calls.push(request.call);
      await handle(connection, request);
    } catch {
      // The client went away, or the server is being closed.
    } finally {
      close(connection);
    }
  }
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) serving.push(serve(connection));
  })();
  return {
    port: socket === undefined ? String((listener.addr as Deno.NetAddr).port) : "",
    calls,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      for (const connection of [...open]) close(connection);
      await accepting;
      await Promise.all(serving);
    },
  };
}

/** Writes text, or bytes, all of it. */
export async function say(connection: Deno.Conn, what: string | Uint8Array): Promise<void> {
  let rest = typeof what === "string" ? new TextEncoder().encode(what) : what;
  while (rest.length > 0) rest = rest.subarray(await connection.write(rest));
}

/** Waits until the client closes. */
export async function untilClosed(connection: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(65_536);
  while (await connection.read(buffer) !== null);
}

async function readRequest(connection: Deno.Conn): Promise<RawRequest> {
  let received = new Uint8Array(0);
  const buffer = new Uint8Array(65_536);
  async function more(): Promise<void> {
    const length = await connection.read(buffer);
    if (length === null) throw new Error("no whole request");
    const joined = new Uint8Array(received.length + length);
    joined.set(received);
    joined.set(buffer.subarray(0, length), received.length);
    received = joined;
  }
  const headEnd = (): number => new TextDecoder("latin1").decode(received).indexOf("\r\n\r\n");
  while (headEnd() < 0) await more();
  const headers = new TextDecoder("latin1").decode(received.subarray(0, headEnd()));
  const start = headEnd() + 4;
  const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0);
  // The handler reads a long body, or leaves it.
  if (length <= buffer.length) { while (received.length < start + length) await more(); }
  const [method, target] = headers.split(" ");
  return {
    call: `${method} ${target!.replace(/\?.*$/, "")}`,
    headers,
    body: received.subarray(start),
  };
}
