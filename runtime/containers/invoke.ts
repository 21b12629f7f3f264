/**
 * `local invoke`: sends a request to a server on this machine, as a client of the platform would.
 *
 * @module
 */

import { Buffer } from "node:buffer";
// Not fetch: it takes a proxy that the environment names, also to this machine.
import { type IncomingMessage, request as httpRequest } from "node:http";
import type { Interruption } from "../context.ts";
import type { Output } from "../streams.ts";
import type { Engine } from "../docker/engine.ts";
import { fileErrorReason, messageOf, MlcliError } from "../errors.ts";
import { abortOf, deadlineIn } from "./abort.ts";
import { typeOfBytes } from "./content_type.ts";
import { requireServer } from "./servers.ts";

/** A request to a server. */
export interface InvokeRequest {
  /** Port on this machine. */
  readonly port: number;
  readonly body: AsyncIterable<Uint8Array>;
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

/** In bytes. No server takes as much: what is larger was not meant. */
const LARGEST_BODY = 256e6;

/** So much of a body tells its type, in bytes. */
const TELLING_LENGTH = 65_536;

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
  using deadline = deadlineIn(request.timeout);
  const signal = AbortSignal.any([deadline.signal, request.interruption.signal]);
  try {
    const body = await Promise.race([whole(request.body), abortOf(signal)]);
    const contentType = request.contentType ?? typeOfBytes(body.subarray(0, TELLING_LENGTH));
    const response = await send(request, body, contentType, signal);
    if ((response.statusCode ?? 0) >= 400) throw await refusal(request.port, response, contentType);
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
  }
}

/** Reads the body to its end. */
async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of pieces) {
      length += piece.length;
      if (length > LARGEST_BODY) break;
      read.push(piece);
    }
  } catch (cause) {
    if (cause instanceof MlcliError) throw cause;
    const reason = fileErrorReason(cause);
    throw new MlcliError("usage", `Cannot read the request's body: ${reason}`, { cause });
  }
  if (length <= LARGEST_BODY) return Buffer.concat(read);
  throw new MlcliError("usage", "The request's body is larger than 256 MB", {
    hint: "The platform takes a few megabytes, and so do the servers of mlcli.",
  });
}

/** Sends the request and returns the answer's beginning. */
function send(
  { port, accept }: InvokeRequest,
  body: Uint8Array,
  contentType: string,
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
        "Content-Length": body.length,
        ...(accept === undefined ? {} : { Accept: accept }),
      },
    });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    // In one piece: where a server answers before it has all of a stream, Deno 2.6 ends the program
    // with an error that cannot be caught.
    outgoing.end(body);
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
