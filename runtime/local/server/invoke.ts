import { holdsHarness } from "../../contract/images.ts";
import { type RequestHeader, requireStreamed } from "../../contract/invocations.ts";
import {
  ASYNCHRONOUS_BODY_BYTES,
  BODY_BYTES,
  INVOCATION_SECONDS,
  STREAM_SECONDS,
  SURE_BODY_BYTES,
} from "../../contract/limits.ts";
import { fileErrorReason, MlcliError, OutputClosed, UsageError } from "../../errors.ts";
import {
  answerNotes,
  type BodyInPieces,
  PrintedAnswer,
  readPieces,
  refusalWords,
  typeHint,
  type UnreadBody,
} from "../../invocation/invocation.ts";
import type { Messages } from "../../messages.ts";
import { abortOf, deadlineIn, joinSignals } from "../../time.ts";
import { VERSION } from "../../version.ts";
import type { Host } from "../jobs.ts";
import { exchange, type HttpAnswer, type HttpRequest, readStart } from "../../http/exchange.ts";
import { BrokenMessage } from "../../http/messages.ts";
import { requireServer, type Server } from "./servers.ts";

export interface InvokeRequest {
  readonly port: number;
  readonly body: UnreadBody;
  readonly accept: string | undefined;
  /** Each name once. */
  readonly headers: readonly RequestHeader[];
  /** Whether to request a stream, as with InvokeEndpointWithResponseStream. */
  readonly stream: boolean;
  /** Time limit of the whole request, in seconds (default: as on SageMaker). */
  readonly timeout: number | undefined;
}

/** Destination of the response, and the engine, which mlcli asks if no server responds on the port. */
export type InvokeHost = Pick<Host, "out" | "err" | "messages" | "interruption" | "engine">;

const REFUSAL_LENGTH = 64 * 1024;

/**
 * Sends the body to `/invocations`, and prints the response byte for byte.
 *
 * @throws UsageError for headers that a stream cannot have; MlcliError if there is no server, if the response
 * is late or incomplete, if its status is not 200 to 299, and, after it is printed, if it might be too large
 * for SageMaker.
 */
export async function invoke(request: InvokeRequest, host: InvokeHost): Promise<void> {
  const { messages } = host;
  checkHeaders(request, messages);
  const { port, stream } = request;
  const seconds = request.timeout ?? (stream ? STREAM_SECONDS : INVOCATION_SECONDS);
  const printed = new PrintedAnswer(host);
  using deadline = deadlineIn(seconds);
  using either = joinSignals(deadline.signal, host.interruption.signal);
  const { signal } = either;
  try {
    // Raced, since the signal ends neither the wait for a body that does not come nor the wait for
    // a reader that has stopped reading.
    await Promise.race([converse(), abortOf(signal)]);
  } catch (error) {
    host.interruption.signal.throwIfAborted();
    if (deadline.signal.aborted) throw tooSlow(port, seconds);
    throw error;
  } finally {
    printed.endLine();
  }

  async function converse(): Promise<void> {
    const body = await readPieces(request.body, ASYNCHRONOUS_BODY_BYTES, tooLarge);
    signal.throwIfAborted();
    await askServer(port, asHttp(request, body), host, signal, async (answer) => {
      // A redirect (3xx) is not followed either: the answer would be another server's.
      const isSuccess = answer.status >= 200 && answer.status <= 299;
      if (!isSuccess) {
        throw await refusal(port, answer, body.contentType, () => isOurs(port, host));
      }
      await passOn(answer);
    });
  }

  async function passOn({ headers, body, isStream }: HttpAnswer): Promise<void> {
    await printed.print(body);
    printed.endLine();
    const notes = answerNotes({
      customAttributes: headers.get("x-amzn-sagemaker-custom-attributes"),
      newSession: headers.get("x-amzn-sagemaker-new-session-id"),
      closedSession: headers.get("x-amzn-sagemaker-closed-session-id"),
    });
    for (const text of notes) messages.note(text);
    if (stream && !isStream) {
      messages.note(
        "The response arrived in one piece: to stream it, return a generator from output_fn",
      );
    }
    if (!stream && printed.length > SURE_BODY_BYTES) throw answerTooLarge(printed.length);
  }
}

/**
 * Sends a request to a server, and calls `read` with its response, whatever its status.
 *
 * @throws MlcliError if there is no server, or no complete response.
 */
export async function askServer<T>(
  port: number,
  request: HttpRequest,
  host: Pick<Host, "engine">,
  signal: AbortSignal,
  read: (answer: HttpAnswer) => Promise<T>,
): Promise<T> {
  let isAnswered = false;
  try {
    return await exchange(port, request, signal, async (answer) => {
      if (answer.fault !== undefined) throw new BrokenMessage(answer.fault);
      isAnswered = true;
      return await read(answer);
    });
  } catch (error) {
    if (error instanceof MlcliError || error instanceof OutputClosed || signal.aborted) throw error;
    throw isAnswered ? brokenOff(port, error) : await noAnswer(port, error, host, signal);
  }
}

function checkHeaders({ headers, stream }: InvokeRequest, messages: Messages): void {
  const known = headers.flatMap(({ field, value }) => field === undefined ? [] : [[field, value]]);
  if (stream) requireStreamed(Object.fromEntries(known));
  for (const { name } of headers.filter(({ field }) => field === undefined)) {
    messages.note(`SageMaker does not forward the header ${name}: use Custom-Attributes`);
  }
}

export function asHttp(
  { accept, headers }: Pick<InvokeRequest, "accept" | "headers">,
  { pieces, contentType }: BodyInPieces,
): HttpRequest {
  const own = {
    "Content-Type": contentType,
    ...(accept === undefined ? {} : { Accept: accept }),
    // The answer is printed byte for byte, so it must not come compressed.
    "Accept-Encoding": "identity",
    "User-Agent": `mlcli/${VERSION}`,
  };
  const given = new Set(headers.map(({ name }) => name.toLowerCase()));
  return {
    call: "POST /invocations",
    headers: Object.fromEntries([
      ...Object.entries(own).filter(([name]) => !given.has(name.toLowerCase())),
      ...headers.map(({ name, value }) => [name, value] as const),
    ]),
    body: pieces,
  };
}

function tooLarge(): UsageError {
  return new UsageError(
    `The request body is larger than ${ASYNCHRONOUS_BODY_BYTES} bytes (1 GB)`,
    {
      hint: "Split the request: only asynchronous endpoints accept more than a few megabytes",
    },
  );
}

/** The answer was printed nevertheless: nothing of it is lost, and a pipe need not wait for its end. */
function answerTooLarge(length: number): MlcliError {
  const newer = length > BODY_BYTES
    ? "SageMaker would not return it: AWS's newer guide allows 25 MB."
    : "SageMaker might still return it: AWS's newer guide allows 25 MB.";
  return new MlcliError(
    `The response has ${length} bytes, but AWS's API reference allows at most ${SURE_BODY_BYTES}`,
    {
      hint: `Send fewer rows per request, or choose a smaller format with --accept. ${newer}`,
    },
  );
}

function brokenOff(port: number, cause: unknown): MlcliError {
  return new MlcliError(
    `The response from the server on port ${port} ended early: ${fileErrorReason(cause)}`,
    { hint: `See its log: mlcli local logs --port ${port}`, cause },
  );
}

export function tooSlow(port: number, seconds: number): MlcliError {
  return new MlcliError(`The server on port ${port} did not respond within ${seconds} s`, {
    hint: `See its log (mlcli local logs --port ${port}), or increase --timeout. SageMaker waits ` +
      `${INVOCATION_SECONDS} s for a response, and ${STREAM_SECONDS} s for a stream (--stream).`,
  });
}

/** The error for an answer that is not a success: the text of its `error`, or its whole body. */
async function refusal(
  port: number,
  { status, reason, body }: HttpAnswer,
  contentType: string,
  isOurs: () => Promise<boolean>,
): Promise<MlcliError> {
  const otherwise = `The server returned HTTP ${status} ${reason}`.trimEnd();
  const { message, quote } = refusalWords(
    await readStart(body, REFUSAL_LENGTH),
    `HTTP ${status}`,
    otherwise,
  );
  const hint = status === 413
    ? await isOurs() ? LARGER : "Send less data, or raise the limit of the image's own server"
    : refusalHint(port, status, contentType);
  return new MlcliError(message, { quote, hint });
}

const LARGER =
  "Raise the limit: mlcli local deploy --env MLCLI_MAX_BODY_MB=25. AWS's newer guide allows 25 MB " +
  "for an endpoint. Use 1024 for an asynchronous endpoint, 0 (no limit) for transform jobs.";

/** Whether the server is that of an image of mlcli's, as far as the engine knows. */
async function isOurs(port: number, host: InvokeHost): Promise<boolean> {
  try {
    const engine = await host.engine();
    const { signal } = host.interruption;
    const { image } = await requireServer(engine, port, undefined, "invoke", signal);
    const found = await engine.image(image);
    return found !== undefined && holdsHarness(found);
  } catch {
    return false;
  }
}

function refusalHint(port: number, status: number, contentType: string): string | undefined {
  if (status < 400) return "Return the response directly: mlcli does not follow redirects";
  if (status >= 500) return `See the server's log: mlcli local logs --port ${port}`;
  return typeHint(status, contentType);
}

/** Why there is no answer: there is no server, it has ended, or it broke the connection off. */
async function noAnswer(
  port: number,
  cause: unknown,
  { engine }: Pick<Host, "engine">,
  signal: AbortSignal,
): Promise<MlcliError> {
  const isRefused = cause instanceof Deno.errors.ConnectionRefused;
  let server: Server | undefined;
  try {
    server = await requireServer(await engine(), port, undefined, "invoke", signal);
  } catch (error) {
    // Nobody listens, and there is no container. What does listen may be a server of others.
    if (isRefused) throw error;
  }
  const words = server && !server.running ? "it has exited" : fileErrorReason(cause);
  return new MlcliError(`The server on port ${port} does not respond: ${words}`, {
    hint: server && `See its log: mlcli local logs --port ${port}`,
    cause,
  });
}
