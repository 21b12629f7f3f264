/**
 * `local invoke`: sends a request to a server on this machine, as a client of SageMaker would.
 *
 * @module
 */

import { INVOCATION_SECONDS } from "../../contract/limits.ts";
import { fileErrorReason, MlcliError, OutputClosed, UsageError } from "../../errors.ts";
import { printAnswer, refusalWords, typeHint } from "../../invocation/answer.ts";
import { readBody, type RequestBody, type UnreadBody } from "../../invocation/request_body.ts";
import { abortOf, deadlineIn, joinSignals } from "../../time.ts";
import { VERSION } from "../../version.ts";
import type { Host } from "../jobs.ts";
import { exchange, type HttpAnswer, type HttpRequest } from "./http.ts";
import { requireServer, type Server } from "./servers.ts";

/** A request to a server. */
export interface InvokeRequest {
  /** Port on this machine. */
  readonly port: number;
  readonly body: UnreadBody;
  readonly accept: string | undefined;
  /** How long all of it may take, in seconds. */
  readonly timeout: number;
}

/** Where the answer goes, and what is asked when nobody answers on the port: the engine. */
export type InvokeHost = Pick<Host, "out" | "interruption" | "engine">;

/** In bytes. No server accepts that much: a larger body is a mistake. */
const LARGEST_BODY = 256e6;

/** How much of a refusal is shown, in bytes. */
const REFUSAL_LENGTH = 64 * 1024;

/**
 * Sends the body to `/invocations` and passes the answer on byte for byte.
 *
 * @returns the answer's last byte: the caller may have to end the line before the next prompt.
 * @throws MlcliError when there is no server, no answer in time, one that breaks off, or one with
 * another status than 200 to 299.
 */
export async function invoke(
  request: InvokeRequest,
  host: InvokeHost,
): Promise<number | undefined> {
  using deadline = deadlineIn(request.timeout);
  using either = joinSignals(deadline.signal, host.interruption.signal);
  const { signal } = either;
  try {
    // Raced, since the signal ends neither the wait for a body that does not come nor the wait for
    // a reader that has stopped reading.
    return await Promise.race([converse(request, host, signal), abortOf(signal)]);
  } catch (error) {
    host.interruption.signal.throwIfAborted();
    if (deadline.signal.aborted) throw tooSlow(request);
    throw error;
  }
}

async function converse(
  request: InvokeRequest,
  host: InvokeHost,
  signal: AbortSignal,
): Promise<number | undefined> {
  const body = await readBody(request.body, LARGEST_BODY, tooLarge);
  signal.throwIfAborted();
  let isAnswered = false;
  try {
    return await exchange(request.port, asHttp(request, body), signal, (answer) => {
      isAnswered = true;
      return passOn(request.port, answer, body.contentType, host);
    });
  } catch (error) {
    if (error instanceof MlcliError || error instanceof OutputClosed || signal.aborted) throw error;
    throw isAnswered
      ? brokenOff(request.port, error)
      : await noAnswer(request.port, error, host, signal);
  }
}

function asHttp(
  { accept }: InvokeRequest,
  { bytes, contentType }: RequestBody,
): HttpRequest {
  return {
    call: "POST /invocations",
    headers: {
      "Content-Type": contentType,
      ...(accept === undefined ? {} : { Accept: accept }),
      // The answer is printed byte for byte, so it must not come compressed.
      "Accept-Encoding": "identity",
      "User-Agent": `mlcli/${VERSION}`,
    },
    body: bytes,
  };
}

async function passOn(
  port: number,
  answer: HttpAnswer,
  contentType: string,
  { out }: InvokeHost,
): Promise<number | undefined> {
  // A redirect (3xx) is not followed either: the answer would be another server's.
  if (answer.status < 200 || answer.status > 299) throw await refusal(port, answer, contentType);
  return await printAnswer(answer.body, out);
}

function tooLarge(): UsageError {
  return new UsageError("The request's body is larger than 256 MB", {
    hint: "The platform takes a few megabytes, and so do the servers of mlcli.",
  });
}

function brokenOff(port: number, cause: unknown): MlcliError {
  return new MlcliError(
    `The answer of the server on port ${port} breaks off: ${fileErrorReason(cause)}`,
    { hint: `mlcli local logs --port ${port} shows what happened in the server.`, cause },
  );
}

function tooSlow({ port, timeout }: InvokeRequest): MlcliError {
  return new MlcliError(
    `The server on port ${port} did not answer within ${timeout} s`,
    {
      hint: `The platform gives a request ${INVOCATION_SECONDS} seconds. ` +
        "--timeout gives it longer here; " +
        `mlcli local logs --port ${port} shows what the server is doing.`,
    },
  );
}

/** The error for an answer that is not a success: the text of its `error`, or its whole body. */
async function refusal(
  port: number,
  { status, reason, body }: HttpAnswer,
  contentType: string,
): Promise<MlcliError> {
  const otherwise = `The server answered HTTP ${status} ${reason}`.trimEnd();
  const { message, quote } = refusalWords(await readStart(body), `HTTP ${status}`, otherwise);
  return new MlcliError(message, { quote, hint: refusalHint(port, status, contentType) });
}

function refusalHint(port: number, status: number, contentType: string): string | undefined {
  if (status < 400) return "A model's server answers by itself: mlcli does not follow a redirect.";
  if (status >= 500) return `mlcli local logs --port ${port} shows what happened in the server.`;
  return typeHint(status, contentType);
}

async function readStart(body: HttpAnswer["body"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > REFUSAL_LENGTH) break;
    }
  } catch {
    // The body breaks off, but the status matters more.
  }
  return text.slice(0, REFUSAL_LENGTH);
}

/** Why there is no answer: there is no server, it has ended, or it broke the connection off. */
async function noAnswer(
  port: number,
  cause: unknown,
  { engine }: InvokeHost,
  signal: AbortSignal,
): Promise<MlcliError> {
  const isRefused = cause instanceof Deno.errors.ConnectionRefused;
  let server: Server | undefined;
  try {
    server = await requireServer(await engine(), port, undefined, signal);
  } catch (error) {
    // Nobody listens, and there is no container. What does listen may be a server of others.
    if (isRefused) throw error;
  }
  const words = server && !server.running ? "it has ended" : fileErrorReason(cause);
  return new MlcliError(`The server on port ${port} does not answer: ${words}`, {
    hint: server && `mlcli local logs --port ${port} shows what happened in the server.`,
    cause,
  });
}
