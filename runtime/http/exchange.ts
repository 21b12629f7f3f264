/**
 * Requests to a server on this machine: each over a connection of its own, or over some that stay open.
 *
 * Not `fetch`: it uses a proxy that the environment names, also to this machine; it unpacks what
 * is compressed (Deno 2.6); it adds headers of its own. Not `node:http`: on Deno 2.6 a server that
 * closes the connection leaves the program waiting for ever, or ends it.
 */

import { joined, writeAll } from "../streams.ts";
import { onAbort } from "../time.ts";
import { type AnswerHead, answerHead, BrokenMessage, type Fields, Incoming } from "./messages.ts";

export interface HttpRequest {
  /** `POST /invocations` */
  readonly call: string;
  /** Beside Host, Connection and Content-Length. One line of ASCII each. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is not a list is sent in chunks, as it comes. */
  readonly body: readonly Uint8Array[] | AsyncIterable<Uint8Array>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Fields;
  /** What is wrong with its head. */
  readonly fault: string | undefined;
  /** Whether it came without a length: the server may have begun before it had all of it. */
  readonly isStream: boolean;
  readonly body: AsyncIterable<Uint8Array>;
}

type Read<T> = (answer: HttpAnswer) => Promise<T>;

/**
 * Sends a request and calls `read` with the answer. The connection is closed afterwards.
 *
 * @param signal breaks all of it off; its reason is thrown.
 * @throws BrokenMessage, and Deno's own errors for a connection that is refused or reset.
 */
export async function exchange<T>(
  port: number,
  request: HttpRequest,
  signal: AbortSignal,
  read: Read<T>,
): Promise<T> {
  using connection = await Connection.open(port, signal);
  const headers = { Connection: "close", ...request.headers };
  return await connection.exchange({ ...request, headers }, signal, read);
}

/** Connections to one server that stay open from one request to the next. */
export class Connections implements Disposable {
  readonly #idle: Connection[] = [];

  constructor(private readonly port: number) {}

  /** As `exchange`. Where the server has closed a connection meanwhile, another one is taken. */
  async exchange<T>(request: HttpRequest, signal: AbortSignal, read: Read<T>): Promise<T> {
    const kept = Array.isArray(request.body) ? this.#kept() : undefined;
    const connection = kept ?? await Connection.open(this.port, signal);
    try {
      return await connection.exchange(request, signal, read);
    } catch (error) {
      if (kept === undefined || kept.hasAnswered || signal.aborted) throw error;
    } finally {
      if (connection.persists) this.#idle.push(connection);
      else connection[Symbol.dispose]();
    }
    return await this.exchange(request, signal, read);
  }

  /** One on which the server has said nothing since its last answer. */
  #kept(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      if (!one.hasNews) return one;
      one[Symbol.dispose]();
    }
  }

  [Symbol.dispose](): void {
    for (const connection of this.#idle.splice(0)) connection[Symbol.dispose]();
  }
}

class Connection implements Disposable {
  readonly #incoming: Incoming;
  #isOpen = true;
  /** Whether the answer to the last request has begun. */
  hasAnswered = false;
  /** Whether another request can follow. */
  persists = false;

  private constructor(private readonly connection: Deno.Conn, private readonly port: number) {
    this.#incoming = new Incoming(connection);
  }

  static async open(port: number, signal: AbortSignal): Promise<Connection> {
    return new Connection(await Deno.connect({ hostname: "127.0.0.1", port, signal }), port);
  }

  get hasNews(): boolean {
    return this.#incoming.hasNews;
  }

  async exchange<T>(request: HttpRequest, signal: AbortSignal, read: Read<T>): Promise<T> {
    this.hasAnswered = this.persists = false;
    using _abort = onAbort(signal, () => this[Symbol.dispose]());
    const body = noticed(request.body, () => this[Symbol.dispose]());
    try {
      signal.throwIfAborted();
      // A server may answer before it has read all of the body. So a failure to send means nothing by
      // itself: the answer, or its absence, decides.
      let isSent = false;
      const sent = { ...request, body: body.parts };
      send(this.connection, this.port, sent).then(() => isSent = true, () => {});
      const method = request.call.split(" ")[0]!;
      const head = await headFrom(this.#incoming, method);
      this.hasAnswered = true;
      const result = await read(answerOf(head, this.#incoming));
      this.persists = isSent && this.#isOpen && head.persists && head.body.done;
      if (this.persists) this.#incoming.watch();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      throw body.failure?.error ?? error;
    }
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) this.connection.close();
    this.#isOpen = false;
  }
}

/** The same body; what goes wrong in making it is kept, and ends the request. */
function noticed(body: HttpRequest["body"], onFailure: () => void) {
  const made: { parts: HttpRequest["body"]; failure?: { readonly error: unknown } } = {
    parts: body,
  };
  if (Array.isArray(body)) return made;
  made.parts = (async function* () {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      made.failure = { error };
      onFailure();
      throw error;
    }
  })();
  return made;
}

async function send(
  connection: Deno.Conn,
  port: number,
  { call, headers, body }: HttpRequest,
): Promise<void> {
  const isList = Array.isArray(body);
  const length = isList ? body.reduce((sum, { length }) => sum + length, 0) : 0;
  const lines = [
    `${call} HTTP/1.1`,
    `Host: localhost:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...isList
      ? call.startsWith("GET ") ? [] : [`Content-Length: ${length}`]
      : ["Transfer-Encoding: chunked"],
  ];
  const encoder = new TextEncoder();
  const head = encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
  if (isList) {
    // A small request is one packet.
    if (length <= 16_384) return await writeAll(connection, joined([head, ...body]));
    for (const part of [head, ...body]) await writeAll(connection, part);
    return;
  }
  await writeAll(connection, head);
  for await (const part of body) {
    const size = encoder.encode(`${part.length.toString(16)}\r\n`);
    if (part.length > 0) await writeAll(connection, joined([size, part, encoder.encode("\r\n")]));
  }
  await writeAll(connection, encoder.encode("0\r\n\r\n"));
}

async function headFrom(incoming: Incoming, method: string): Promise<AnswerHead> {
  while (true) {
    const bytes = await incoming.head("HTTP/1.");
    // The engine closes it for a container that does not listen yet.
    if (bytes === undefined) throw new BrokenMessage("it closed the connection");
    const head = answerHead(bytes, method);
    if (head.status === 0) throw new BrokenMessage("the response is not HTTP");
    if (!head.isInterim) return head;
  }
}

function answerOf(head: AnswerHead, incoming: Incoming): HttpAnswer {
  const { status, reason, fields, body } = head;
  const isStream = !body.done &&
    (fields.has("transfer-encoding") || !fields.has("content-length"));
  const content = incoming.contentOf(body);
  return { status, reason, headers: fields, fault: faultOf(head), isStream, body: content };
}

function faultOf({ fields, isMalformed, body }: AnswerHead): string | undefined {
  if (isMalformed) return "a response header is not valid HTTP";
  const coding = fields.get("transfer-encoding");
  const length = fields.get("content-length");
  if (body.done) return undefined;
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return `Transfer-Encoding "${coding}" is not supported`;
  }
  const isWrong = coding === undefined && length !== undefined && body.endsWithConnection;
  return isWrong ? `Content-Length "${length}" is not valid` : undefined;
}

/** The beginning of a body as text; read to its end where that is shorter. */
export async function readStart(body: HttpAnswer["body"], most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of body) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > most) break;
    }
  } catch {
    // The body breaks off, but the status matters more.
  }
  return text.slice(0, most);
}

/** What `Deno.connect` takes: in a URL, an IPv6 address stands in brackets, and a port may be left out. */
export function tcpTarget(
  { hostname, port, protocol }: Pick<URL, "hostname" | "port" | "protocol">,
): { readonly hostname: string; readonly port: number } {
  return {
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  };
}
