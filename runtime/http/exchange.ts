/**
 * One request to a server on this machine, over a connection of its own.
 *
 * Not `fetch`: it uses a proxy that the environment names, also to this machine; it unpacks what
 * is compressed (Deno 2.6); it adds headers of its own. Not `node:http`: on Deno 2.6 a server that
 * closes the connection leaves the program waiting for ever, or ends it.
 */

import { writeAll } from "../streams.ts";
import { onAbort } from "../time.ts";
import { type AnswerHead, answerHead, BrokenMessage, type Fields, Incoming } from "./messages.ts";

export interface HttpRequest {
  /** `POST /invocations` */
  readonly call: string;
  /** Beside Host, Connection and Content-Length. One line of ASCII each. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
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
  read: (answer: HttpAnswer) => Promise<T>,
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
    // A server may answer before it has read all of the body. So a failure to send means nothing by
    // itself: the answer, or its absence, decides.
    send(connection, port, request).catch(() => {});
    return await read(await answerFrom(new Incoming(connection), request.call.split(" ")[0]!));
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
    ...call.startsWith("GET ")
      ? []
      : [`Content-Length: ${body.reduce((sum, { length }) => sum + length, 0)}`],
  ];
  await writeAll(connection, new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`));
  for (const part of body) await writeAll(connection, part);
}

async function answerFrom(incoming: Incoming, method: string): Promise<HttpAnswer> {
  while (true) {
    const bytes = await incoming.head("HTTP/1.");
    // The engine closes it for a container that does not listen yet.
    if (bytes === undefined) throw new BrokenMessage("it closes the connection");
    const answer = answerHead(bytes, method);
    const { status, reason, fields, body } = answer;
    if (status === 0) throw new BrokenMessage("no answer in HTTP");
    if (answer.isInterim) continue;
    const isStream = !body.done &&
      (fields.has("transfer-encoding") || !fields.has("content-length"));
    const content = incoming.contentOf(body);
    return { status, reason, headers: fields, fault: faultOf(answer), isStream, body: content };
  }
}

function faultOf({ fields, isMalformed, body }: AnswerHead): string | undefined {
  if (isMalformed) return "a header is not valid HTTP";
  const coding = fields.get("transfer-encoding");
  const length = fields.get("content-length");
  if (body.done) return undefined;
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return `its transfer coding is not known: ${coding}`;
  }
  const isWrong = coding === undefined && length !== undefined && body.endsWithConnection;
  return isWrong ? `its length is not valid: ${length}` : undefined;
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
