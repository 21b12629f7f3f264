/**
 * One request to a server on this machine, over a connection of its own: HTTP/1.1, RFC 9112.
 *
 * Not `fetch`: it uses a proxy that the environment names, also to this machine; it unpacks what
 * is compressed (Deno 2.6); it adds headers of its own. Not `node:http`: on Deno 2.6 a server that
 * closes the connection leaves the program waiting for ever, or ends it.
 *
 * @module
 */

import { withoutBlanks } from "../../text.ts";
import { onAbort } from "../../time.ts";

/** What to send. */
export interface HttpRequest {
  /** `POST /invocations` */
  readonly call: string;
  /** Beside Host, Connection and Content-Length. One line of ASCII each. */
  readonly headers: Readonly<Record<string, string>>;
  /** In pieces. */
  readonly body: readonly Uint8Array[];
}

/** The beginning of an answer, and its body as it comes. */
export interface HttpAnswer {
  readonly status: number;
  /** `Not Found`; nothing where the server says nothing. */
  readonly reason: string;
  readonly headers: Headers;
  /** Whether it came without its length: the server need not have had all of it to begin. */
  readonly isStream: boolean;
  /** @throws BrokenAnswer where it ends too early. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The connection was closed before all of an answer had come, or what came is not HTTP. */
export class BrokenAnswer extends Error {
  override readonly name = "BrokenAnswer";
}

/** The longest head that is accepted, in bytes. Node accepts 16 KiB. */
const LONGEST_HEAD = 256 * 1024;

/**
 * Sends a request and calls `hear` with the answer. The connection is closed afterwards.
 *
 * @param signal breaks all of it off; its reason is thrown.
 * @throws BrokenAnswer, and Deno's own errors for a connection that is refused or reset.
 */
export async function exchange<T>(
  port: number,
  request: HttpRequest,
  signal: AbortSignal,
  hear: (answer: HttpAnswer) => Promise<T>,
): Promise<T> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port, signal });
  let isOpen = true;
  const close = (): void => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  using _abort = onAbort(signal, close);
  try {
    signal.throwIfAborted();
    // A server may answer before it has all of the body, and then not read the rest. So a failure
    // to send means nothing by itself: what is read tells.
    send(connection, port, request).catch(() => {});
    return await hear(await answerFrom(new Received(connection)));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    close();
  }
}

async function send(
  connection: Deno.Conn,
  port: number,
  { call, headers, body }: HttpRequest,
): Promise<void> {
  const lines = [
    `${call} HTTP/1.1`,
    `Host: localhost:${port}`,
    "Connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.reduce((sum, { length }) => sum + length, 0)}`,
  ];
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  for (const part of [head, ...body]) {
    for (let rest = part; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
  }
}

async function answerFrom(received: Received): Promise<HttpAnswer> {
  while (true) {
    const statusLine = await received.line();
    const [, digits, reason] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(statusLine) ?? [];
    if (digits === undefined) throw new BrokenAnswer("no answer in HTTP");
    const fields = await received.fields();
    const status = Number(digits);
    // 1xx announces the answer. (101, another protocol, was not asked for.)
    if (status < 200 && status !== 101) continue;
    const headers = headersOf(fields);
    return {
      status,
      reason: reason ?? "",
      headers,
      isStream: hasBody(status) &&
        (headers.has("Transfer-Encoding") || !headers.has("Content-Length")),
      body: bodyOf(status, headers, received),
    };
  }
}

function headersOf(fields: readonly string[]): Headers {
  const headers = new Headers();
  for (const field of fields) {
    const [, name, value = ""] = /^([!#$%&'*+\-.^_`|~\w]+):(.*)$/.exec(field) ?? [];
    if (name === undefined || value.includes("\0")) {
      throw new BrokenAnswer("a header is not valid HTTP");
    }
    headers.append(name, withoutBlanks(value));
  }
  return headers;
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** RFC 9112, 6.3: where the body ends. */
function bodyOf(status: number, headers: Headers, received: Received): AsyncIterable<Uint8Array> {
  if (!hasBody(status)) return received.exactly(0);
  const coding = headers.get("Transfer-Encoding");
  if (coding !== null) {
    if (coding.toLowerCase() === "chunked") return received.chunks();
    throw new BrokenAnswer(`its transfer coding is not known: ${coding}`);
  }
  const length = headers.get("Content-Length");
  if (length === null) return received.toEnd();
  // If it was sent twice, a comma joins the values; the same value twice counts once.
  const [first, ...others] = length.split(",").map((part) => part.trim());
  if (!/^\d{1,15}$/.test(first!) || others.some((other) => other !== first)) {
    throw new BrokenAnswer(`its length is not valid: ${length}`);
  }
  return received.exactly(Number(first));
}

/**
 * A character for each byte. What TextDecoder calls "latin1" is windows-1252, with characters that
 * Headers do not take: https://encoding.spec.whatwg.org/#names-and-labels.
 */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** What arrives on a connection, taken in lines and in lengths. */
class Received {
  readonly #connection: Deno.Conn;
  readonly #buffer = new Uint8Array(65_536);
  /** Arrived, and not taken yet. */
  #rest = new Uint8Array(0);

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** The lines up to the empty one. */
  async fields(): Promise<string[]> {
    const lines: string[] = [];
    for (let length = 0; length <= LONGEST_HEAD;) {
      const line = await this.line();
      if (line === "") return lines;
      length += line.length;
      lines.push(line);
    }
    throw new BrokenAnswer("its head does not end");
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    while (true) {
      // After a semicolon comes an extension, which may be ignored.
      const [, digits] = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(await this.line()) ?? [];
      if (digits === undefined) throw new BrokenAnswer("a chunk has no length");
      const length = parseInt(digits, 16);
      if (length === 0) break;
      yield* this.exactly(length);
      if (await this.line() !== "") throw new BrokenAnswer("a chunk is longer than its length");
    }
    await this.fields(); // trailers
  }

  async *exactly(length: number): AsyncGenerator<Uint8Array, void, void> {
    for (let left = length; left > 0;) {
      if (!await this.#hasMore()) {
        throw new BrokenAnswer(`the connection was closed with ${left} bytes to come`);
      }
      const piece = this.#rest.slice(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async *toEnd(): AsyncGenerator<Uint8Array, void, void> {
    while (await this.#hasMore()) {
      const piece = this.#rest.slice();
      this.#rest = this.#rest.subarray(piece.length);
      yield piece;
    }
  }

  /** A line without its end, which may lack the carriage return. */
  async line(): Promise<string> {
    let line = "";
    while (line.length <= LONGEST_HEAD) {
      if (!await this.#hasMore()) throw new BrokenAnswer("the connection was closed");
      const end = this.#rest.indexOf(10);
      line += latin1(end < 0 ? this.#rest : this.#rest.subarray(0, end));
      this.#rest = end < 0 ? new Uint8Array(0) : this.#rest.subarray(end + 1);
      if (end >= 0) return line.replace(/\r$/, "");
    }
    throw new BrokenAnswer("no answer in HTTP");
  }

  /** Waits for bytes, if there are none; false at the end. */
  async #hasMore(): Promise<boolean> {
    if (this.#rest.length > 0) return true;
    const length = await this.#connection.read(this.#buffer);
    if (length === null) return false;
    this.#rest = this.#buffer.subarray(0, length);
    return true;
  }
}
