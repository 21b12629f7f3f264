/**
 * `local invoke`: sends a request to a server on this machine, as a client of the platform would.
 *
 * @module
 */

// Not fetch: it takes a proxy that the environment names, also to this machine, and cannot say how
// long a file is before it sends it.
import { type IncomingMessage, request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Interruption } from "../context.ts";
import type { Output } from "../streams.ts";
import type { Engine } from "../docker/engine.ts";
import { messageOf, MlcliError } from "../errors.ts";
import { typeOfBytes } from "./content_type.ts";
import { abortOf } from "./logs.ts";
import { requireServer } from "./servers.ts";

/** What is sent. */
export interface Body {
  /** None of them is empty. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** In bytes; unknown for a pipe. */
  readonly length: number | undefined;
}

/** A request to a server. */
export interface InvokeRequest {
  /** Port on this machine. */
  readonly port: number;
  readonly body: Body;
  /** Told by how the body begins when undefined. */
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  /** How long all of it may take, in seconds. */
  readonly timeout: number;
  /** Where the answer goes. */
  readonly out: Output;
  readonly interruption: Interruption;
  /** Asked only when nobody answers on the port. */
  readonly engine: () => Promise<Engine>;
}

/** So much of a refusal is shown, in bytes. */
const REFUSAL_LENGTH = 64 * 1024;

/**
 * Sends the body to `/invocations` and passes the answer on byte for byte.
 *
 * @returns the answer's last byte, for whoever wants the next prompt on a line of its own.
 * @throws MlcliError of kind `container` when there is no server, no answer in time, or one with a
 * status of 400 or more.
 */
export async function invoke(request: InvokeRequest): Promise<number | undefined> {
  // Not AbortSignal.timeout: somebody who listens to it keeps the program from ending until then.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), request.timeout * 1000);
  const signal = AbortSignal.any([deadline.signal, request.interruption.signal]);
  try {
    const body = await Promise.race([wireBody(request), abortOf(signal)]);
    const response = await send(request, body, signal);
    if ((response.statusCode ?? 0) >= 400) {
      throw await refusal(request.port, response, body.contentType);
    }
    let last: number | undefined;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      await request.out.write(chunk);
      last = chunk.at(-1) ?? last;
    }
    return last;
  } catch (error) {
    request.interruption.signal.throwIfAborted();
    if (deadline.signal.aborted) throw tooSlow(request);
    if (error instanceof Error && "code" in error) throw await noAnswer(request, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** What goes over the wire. */
interface WireBody {
  readonly stream: Readable;
  readonly length: number | undefined;
  readonly contentType: string;
}

/** Looks at the body's beginning: for its type if need be, and whether there is any. */
async function wireBody({ body, contentType }: InvokeRequest): Promise<WireBody> {
  const pieces = body.pieces[Symbol.asyncIterator]();
  const first = await pieces.next();
  async function* all(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (let piece = first; !piece.done; piece = await pieces.next()) yield piece.value;
    } finally {
      await pieces.return?.();
    }
  }
  return {
    stream: Readable.from(all(), { objectMode: false }),
    length: first.done ? 0 : body.length,
    contentType: contentType ?? typeOfBytes(first.value ?? new Uint8Array()),
  };
}

/** Sends the request and returns the answer's beginning, be the body sent by then or not. */
function send(
  { port, accept }: InvokeRequest,
  { stream, length, contentType }: WireBody,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/invocations",
      agent: false,
      signal,
      headers: {
        "Content-Type": contentType,
        ...(accept === undefined ? {} : { Accept: accept }),
        ...(length === undefined ? {} : { "Content-Length": length }),
      },
    });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    // A server that refuses early closes the connection: its answer says why.
    pipeline(stream, outgoing, { signal }).catch(reject);
  });
}

function tooSlow({ port, timeout }: InvokeRequest): MlcliError {
  return new MlcliError(
    "container",
    `The server on port ${port} did not answer within ${timeout} s`,
    {
      hint: "The platform gives a request 60 seconds. --timeout gives it longer here; " +
        `mlcli local logs --port ${port} shows what the server is at.`,
    },
  );
}

/** An answer of 400 or more as an error: the words of its `error`, or its body as it is. */
async function refusal(
  port: number,
  response: IncomingMessage,
  contentType: string,
): Promise<MlcliError> {
  const status = response.statusCode ?? 0;
  const text = await readStart(response);
  const words = errorOf(text);
  return new MlcliError(
    "container",
    words === undefined
      ? `The server answered HTTP ${status} ${response.statusMessage ?? ""}`.trimEnd()
      : `${words} (HTTP ${status})`,
    { quote: words === undefined ? text : undefined, hint: refusalHint(port, status, contentType) },
  );
}

function refusalHint(port: number, status: number, contentType: string): string | undefined {
  if (status >= 500) return `mlcli local logs --port ${port} shows what happened in the server.`;
  // What depends on the type: the body cannot be read, the answer not written, the body not taken.
  if (![400, 406, 415].includes(status)) return undefined;
  return `It was sent as ${contentType}; --content-type and --accept choose other types.`;
}

async function readStart(response: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > REFUSAL_LENGTH) break;
  }
  return text.slice(0, REFUSAL_LENGTH);
}

/** The text of a JSON answer's `error`, if it has one. */
function errorOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" && error.trim() !== "" ? error.trim() : undefined;
  } catch {
    return undefined; // another server's own form
  }
}

/** Why nobody answers: there is no server, it has ended, or it broke the connection off. */
async function noAnswer(request: InvokeRequest, cause: Error): Promise<MlcliError> {
  const { port } = request;
  const server = await requireServer(await request.engine(), port, undefined);
  const reason = server.running ? messageOf(cause) : "it has ended";
  return new MlcliError("container", `The server on port ${port} does not answer: ${reason}`, {
    hint: `mlcli local logs --port ${port} shows what happened in the server.`,
    cause,
  });
}
