/**
 * Connections to an engine on a named pipe of Windows. Deno's `fetch` and `Deno.connect` cannot open
 * one; its `node:http` and `node:net` can, since 2.7.3 (github.com/denoland/deno, pull request 32414),
 * for a program that has all permissions. They take the path of a unix socket as well, which is how
 * the tests run on any system.
 */

import { Agent, type IncomingMessage, request } from "node:http";
import { connect as connectTo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";

/** Sends requests to one engine, as `fetch` does. */
export interface EngineClient {
  readonly fetch: (url: string, request: {
    readonly method: string;
    readonly headers: Headers;
    readonly body: ReadableStream<Uint8Array> | string | undefined;
    readonly signal: AbortSignal | undefined;
  }) => Promise<Response>;
  close(): void;
}

/** Bytes both ways. */
export type Connection = Pick<Deno.Conn, "read" | "write" | "closeWrite" | "close">;

/** Answers without a body: `Response` takes none with them (Fetch standard, "null body status"). */
const WITHOUT_BODY: readonly number[] = [101, 204, 205, 304];

/** Sends requests over a pipe, each on a connection of its own; closing it ends all. */
export function pipeClient(path: string): EngineClient {
  const agent = new Agent({ keepAlive: false });
  return {
    fetch: async (url, { method, headers, body, signal }) => {
      const { pathname, search, host } = new URL(url);
      const options = {
        socketPath: path,
        path: pathname + search,
        method,
        headers: { ...Object.fromEntries(headers), host },
        agent,
        signal,
      };
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const call = request(options, resolve);
        // No effect after the answer, which may come before the body is sent: reading it fails then.
        call.on("error", reject);
        if (body instanceof ReadableStream) {
          const stream = Readable.fromWeb(body as NodeStream);
          stream.on("error", (error) => call.destroy(error));
          stream.pipe(call);
        } else {
          call.end(body);
        }
      });
      return responseOf(message);
    },
    close: () => agent.destroy(),
  };
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText, headers } = message;
  const init = {
    status,
    statusText,
    headers: Object.entries(headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value])
    ),
  };
  if (!WITHOUT_BODY.includes(status)) {
    return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, init);
  }
  message.resume();
  return new Response(null, init);
}

/** Opens a connection for bytes both ways. A pipe has one end for both: `closeWrite` only flushes. */
export async function connectToPipe(path: string): Promise<Connection> {
  const socket = connectTo({ path, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve();
    });
  });
  // Whoever reads or writes gets the error.
  socket.on("error", () => {});
  const chunks: AsyncIterator<Uint8Array> = socket[Symbol.asyncIterator]();
  let rest = new Uint8Array();
  return {
    async read(buffer) {
      while (rest.length === 0) {
        const { done, value } = await chunks.next();
        if (done) return null;
        rest = new Uint8Array(value);
      }
      const count = Math.min(rest.length, buffer.length);
      buffer.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return count;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
      }),
    closeWrite: () => new Promise((resolve) => socket.end(() => resolve())),
    close: () => void socket.destroy(),
  };
}
