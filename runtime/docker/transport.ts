/**
 * Requests to the Engine API: over its unix socket or TCP with Deno's `fetch`, over a named pipe as
 * `pipe.ts` has it.
 *
 * @module
 */

import { BrokenEngine, EngineGone } from "./broken_engine.ts";
import { fileErrorReason, messageOf, MlcliError } from "../errors.ts";
import { isObject } from "../json.ts";
import { abortOf, onAbort } from "../time.ts";
import { ENGINE_DISK_FULL, saysDiskFull } from "./full_disk.ts";
import type { EngineClient } from "./connection.ts";
import { linesOf } from "./lines.ts";
import type { Address, TlsFiles } from "./locate.ts";
import type { EngineWait, Patience } from "./patience.ts";
import { fits, parsedWithoutNulls, type Shape } from "./shape.ts";
import { studioHint } from "./studio.ts";
import type { TlsOptions, Upgraded } from "./upgrade.ts";
import { engineWords, isPage } from "./words.ts";

/** The engine answered with a status that the call does not expect. */
export class EngineError extends MlcliError {
  override readonly name = "EngineError";

  constructor(
    /** HTTP status of the answer. */
    readonly status: number,
    /** The engine's own words. */
    readonly reason: string,
    call: string,
  ) {
    super(`The Docker Engine refused (${call}: ${status}): ${reason}`, {
      hint: saysDiskFull(reason) ? ENGINE_DISK_FULL : studioHint(reason),
    });
  }
}

/** The files that a TLS connection to the engine needs cannot be read. */
export class CertificatesError extends MlcliError {
  override readonly name = "CertificatesError";
}

/**
 * What the engine answered. Reading it throws `BrokenEngine` where the connection breaks, or where
 * the answer is not what the Engine API promises: so an answer that is cut off never counts as
 * whole.
 */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  /** A JSON object of a form, that has at least these keys; what is null counts as not there. */
  object<T>(shape: Shape, ...keys: readonly (keyof T & string)[]): Promise<T>;
  /** A JSON array of objects of a form, which have at least these keys. */
  list<T>(shape: Shape, ...keys: readonly (keyof T & string)[]): Promise<readonly T[]>;
  /** JSON objects of a form, one a line, as they come. */
  lines<T extends object>(shape: Shape): AsyncGenerator<T, void, void>;
  /** Drops the body, when only the status matters. */
  discard(): Promise<void>;
}

/**
 * What a request has besides method and path. How long the engine may take is `patience.ts`'s: to
 * "ask" where the method only reads, to "act" where it changes something.
 */
export interface RequestOptions extends Partial<Omit<EngineWait, "call">> {
  /** The statuses that the caller handles; any other becomes an `EngineError`. */
  readonly expect: readonly number[];
  readonly json?: unknown;
  /** A tar archive, sent as it comes. */
  readonly tar?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether its answer goes on for as long as something else does: only its head has a limit. */
  readonly isStream?: boolean;
}

/** Sends requests to one engine. */
export interface Transport {
  /** The address as the user would write it in `DOCKER_HOST`. */
  readonly address: string;
  /**
   * @param path begins with a slash.
   * @throws EngineError on a status that is not expected.
   * @throws BrokenEngine when it cannot be reached; SilentEngine when it takes too long.
   */
  request(method: string, path: string, options: RequestOptions): Promise<Answer>;
  /**
   * Sends a POST that the engine answers with bytes both ways.
   *
   * @param signal closes the connection, also later; its reason is thrown.
   * @throws EngineError when the engine does not.
   * @throws BrokenEngine when it cannot be reached, or the connection breaks while it is read.
   */
  upgrade(path: string, signal: AbortSignal): Promise<Upgraded>;
  close(): void;
}

/** The address as `DOCKER_HOST` has it. */
export function addressText(address: Address): string {
  if (address.kind === "tcp") return `tcp://${address.host}`;
  return `${address.kind === "unix" ? "unix" : "npipe"}://${address.path}`;
}

/**
 * The host in the requests over a socket. Nothing is sent to it: it is an address for documentation
 * (RFC 5737). Deno would ignore the socket and connect to the host itself if NO_PROXY named the
 * host, as it often names `localhost`, or if the host were a name and NO_PROXY were `*`.
 */
const NOWHERE = "192.0.2.1";

/** What decides how long a call may take. */
type Limits = Pick<Patience, "during">;

/** For who has limits of their own. */
const NO_LIMITS: Limits = { during: (_wait, _cut, work) => work() };

/**
 * Opens a transport; nothing is sent yet.
 * @throws CertificatesError
 */
export async function openTransport(address: Address, patience = NO_LIMITS): Promise<Transport> {
  const tls = address.kind === "tcp" && address.tls ? await tlsOptions(address.tls) : undefined;
  const client = await clientOf(address, tls);
  const base = address.kind === "tcp"
    ? `${address.tls ? "https" : "http"}://${address.host}`
    : `http://${NOWHERE}`;
  const line = { client, base, patience, address: addressText(address) };
  return {
    address: line.address,
    request: (method, path, options) => send(line, method, path, options),
    upgrade: (path, signal) => upgraded(address, tls, patience, path, signal),
    close: () => client.close(),
  };
}

async function clientOf(address: Address, tls: TlsOptions | undefined): Promise<EngineClient> {
  if (address.kind === "pipe") return (await import("./pipe.ts")).pipeClient(address.path);
  const client = address.kind === "unix"
    ? Deno.createHttpClient({ proxy: { transport: "unix", path: address.path } })
    : Deno.createHttpClient(tls ?? {});
  return {
    // No engine redirects to another place; what stands before one may.
    fetch: (url, request) => fetch(url, { ...request, client, redirect: "manual" }),
    close: () => client.close(),
  };
}

async function tlsOptions({ ca, cert, key }: TlsFiles): Promise<TlsOptions> {
  try {
    const caCerts = [await Deno.readTextFile(ca)];
    // As `docker` does: where there is no certificate for the client, the engine asks for none.
    if (await isMissing(cert) && await isMissing(key)) return { caCerts };
    return { caCerts, cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
  } catch (cause) {
    throw new CertificatesError(`Cannot read the certificates: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function isMissing(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => false, (error) => error instanceof Deno.errors.NotFound);
}

/** Where requests go, and how long they may take. */
interface Line {
  readonly client: EngineClient;
  readonly base: string;
  readonly patience: Limits;
  /** For messages. */
  readonly address: string;
}

async function send(
  { client, base, patience, address }: Line,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.json !== undefined) headers.set("Content-Type", "application/json");
  if (options.tar) headers.set("Content-Type", "application/x-tar");
  const call = callOf(method, path);
  const effort = method === "GET" || method === "HEAD" ? "ask" : "act";
  const waiting = new Waiting(patience, { call, effort, ...options }, options);
  const response = await waiting.during((signal) =>
    client.fetch(base + path, {
      method,
      headers,
      body: options.tar ?? (options.json === undefined ? undefined : JSON.stringify(options.json)),
      signal,
    }), (cause) => options.tar && !isLoss(cause) ? notSent(call, cause) : wentAway(call, cause));
  const answer = answerOf(response, { call, address }, waiting);
  if (options.expect.includes(response.status)) return answer;
  const { status, statusText } = response;
  throw notExpected(status, await beginningOf(answer.body), statusText, { call, address });
}

/** The waits of one request: for its answer's head, and for each part of the body. */
class Waiting {
  readonly #patience: Limits;
  readonly #wait: EngineWait;
  readonly #isStream: boolean;
  /** Ends the request. */
  readonly #cut = new AbortController();
  #hasHead = false;

  constructor(
    patience: Limits,
    wait: EngineWait,
    { signal, isStream = false }: Pick<RequestOptions, "signal" | "isStream">,
  ) {
    this.#patience = patience;
    this.#wait = wait;
    this.#isStream = isStream;
    // Also between the waits, where nobody reads.
    if (signal) onAbort(signal, () => this.#cut.abort(signal.reason));
  }

  /**
   * Waits for one part.
   *
   * @param work is given a signal that breaks it off.
   * @param failure the error for what it throws by itself.
   */
  async during<T>(
    work: (signal: AbortSignal) => Promise<T>,
    failure: (cause: unknown) => unknown,
  ): Promise<T> {
    const cut = this.#cut;
    const isEndless = this.#isStream && this.#hasHead;
    const wait: EngineWait = isEndless ? { ...this.#wait, effort: "wait" } : this.#wait;
    try {
      const part = await this.#patience.during(wait, cut, () => work(cut.signal));
      this.#hasHead = true;
      return part;
    } catch (cause) {
      throw cut.signal.aborted ? cut.signal.reason : failure(cause);
    }
  }
}

/** Method and path as messages have them: `POST /containers/ID/start`. */
function callOf(method: string, path: string): string {
  return `${method} ${path.replace(/^\/v[\d.]+/, "").replace(/\?.*$/, "")}`;
}

/** The error for a connection that cannot be made, or breaks: the engine has answered before. */
function wentAway(call: string, cause: unknown): EngineGone {
  return new EngineGone(call, lossInWords(cause), cause);
}

/** How Deno words a connection that breaks, depending on what it was about (crates hyper, reqwest). */
const BROKEN =
  /^client error|^error (?:sending|reading|decoding)|^request or response body|connection closed|end of file|EOF/i;

/** Whether a connection failed (EPIPE, ECONNRESET, ...), and not what is sent on it. */
function isLoss(cause: unknown): boolean {
  const reason = reasonOf(cause);
  return BROKEN.test(reason) ||
    /\(os error (?:32|54|57|61|104|107|111)\)|\bE(?:PIPE|CONN[A-Z]+)\b/.test(reason);
}

/** The error for an archive that cannot be read to its end. */
function notSent(call: string, cause: unknown): BrokenEngine {
  return new BrokenEngine(
    `Cannot send the files to the Docker Engine (${call}): ${reasonOf(cause)}`,
    {
      cause,
    },
  );
}

/** The system's reason, without its number; Deno's own words say nothing to anybody. */
function lossInWords(cause: unknown): string {
  const reason = fileErrorReason(reasonOf(cause));
  return BROKEN.test(reason) ? "the connection broke" : reason;
}

async function upgraded(
  address: Address,
  tls: TlsOptions | undefined,
  patience: Limits,
  path: string,
  signal: AbortSignal,
): Promise<Upgraded> {
  // Loaded where somebody types at a container.
  const { upgrade } = await import("./upgrade.ts");
  const call = callOf("POST", path);
  const cut = new AbortController();
  onAbort(signal, () => cut.abort(signal.reason));
  const answer = await patience.during(
    { call, effort: "ask" },
    cut,
    () => Promise.race([upgrade(address, tls, path, cut.signal), abortOf(cut.signal)]),
  ).catch((cause) => {
    throw cut.signal.aborted ? cut.signal.reason : wentAway(call, cause);
  });
  if ("status" in answer) {
    throw notExpected(answer.status, answer.text, "", { call, address: addressText(address) });
  }
  async function* output(connection: Upgraded): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* connection.output;
    } catch (cause) {
      throw signal.aborted ? signal.reason : wentAway(call, cause);
    }
  }
  return { ...answer, output: output(answer) };
}

function answerOf(response: Response, asked: Asked, waiting: Waiting): Answer {
  const broken = (cause: unknown): unknown => wentAway(asked.call, cause);
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      while (true) {
        const { done, value } = await waiting.during(() => reader.read(), broken);
        if (done) return;
        yield value;
      }
    } finally {
      // Ends the answer where nobody wants the rest. If it has failed, that error is known already.
      reader.cancel().catch(() => {});
    }
  }
  async function text(): Promise<string> {
    return await waiting.during(() => response.text(), broken);
  }
  return {
    status: response.status,
    headers: response.headers,
    body: body(),
    text,
    async object<T>(shape: Shape, ...keys: readonly (keyof T & string)[]): Promise<T> {
      const words = await text();
      const value = parsed(words, asked);
      if (isOf<T>(value, shape, keys)) return value;
      throw unexpected(asked, words);
    },
    async list<T>(shape: Shape, ...keys: readonly (keyof T & string)[]): Promise<readonly T[]> {
      const words = await text();
      const value = parsed(words, asked);
      if (Array.isArray(value) && value.every((one) => isOf<T>(one, shape, keys))) return value;
      throw unexpected(asked, words);
    },
    async *lines<T extends object>(shape: Shape): AsyncGenerator<T, void, void> {
      for await (const line of linesOf(body())) {
        const value = parsed(line, asked);
        if (!isOf<T>(value, shape, [])) throw unexpected(asked, line);
        yield value;
      }
    },
    async discard(): Promise<void> {
      await response.body?.cancel();
    },
  };
}

/** What was asked, and where, for messages. */
interface Asked {
  readonly call: string;
  /** The address as the user would write it in `DOCKER_HOST`. */
  readonly address: string;
}

function parsed(text: string, asked: Asked): unknown {
  try {
    return parsedWithoutNulls(text);
  } catch (cause) {
    throw unexpected(asked, text, cause);
  }
}

function isOf<T>(value: unknown, shape: Shape, keys: readonly string[]): value is T {
  return isObject(value) && fits(value, shape) && keys.every((key) => Object.hasOwn(value, key));
}

/** The error for an answer in another form than the Engine API's. */
function unexpected({ call, address }: Asked, text: string, cause?: unknown): BrokenEngine {
  return new BrokenEngine(`The Docker Engine's answer is not what its API says (${call})`, {
    quote: engineWords(text) || "(nothing)",
    hint: `Is there a Docker Engine behind ${address}? mlcli doctor tells.`,
    cause,
  });
}

/** Deno's words for a failed connection; before 2.9 in the message, later in the cause. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}

/** The error for an answer whose status the caller does not handle. */
function notExpected(
  status: number,
  text: string,
  statusText: string,
  { call, address }: Asked,
): MlcliError {
  // A status that is no refusal has another meaning here than the engine's.
  return status < 400 || isPage(text)
    ? unexpected({ call: `${call}: ${status}`, address }, text)
    : new EngineError(status, refusal(text, statusText), call);
}

/** More than any engine says for a refusal, in characters. */
const LONGEST_REFUSAL = 65_536;

/** The beginning of a body that may be of any length. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= LONGEST_REFUSAL) break;
  }
  return text;
}

/** The engine's words: `{"message": ...}`; Podman adds `cause` and `response`. */
function refusal(text: string, statusText: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return engineWords(typeof message === "string" ? message : text);
  } catch {
    return engineWords(text.trim() || statusText);
  }
}
