/**
 * Requests to the Engine API: over its unix socket or TCP with Deno's `fetch`, over a named pipe as
 * `pipe.ts` has it.
 *
 * @module
 */

import { messageOf, MlcliError } from "../errors.ts";
import { isObject } from "../json.ts";
import { ENGINE_DISK_FULL, saysDiskFull } from "./full_disk.ts";
import type { EngineClient, EngineFetch } from "./connection.ts";
import type { Address, TlsFiles } from "./locate.ts";
import { studioHint } from "./studio.ts";
import type { TlsOptions, Upgraded } from "./upgrade.ts";

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

/** The engine does not answer, or not to the end, or not as its API says. */
export class BrokenEngine extends MlcliError {
  override readonly name = "BrokenEngine";
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
  /** A JSON object that has at least these keys. */
  object<T>(...keys: readonly (keyof T & string)[]): Promise<T>;
  /** A JSON array of objects. */
  list<T>(): Promise<readonly T[]>;
  /** Drops the body, when only the status matters. */
  discard(): Promise<void>;
}

/** What a request has besides method and path. */
export interface RequestOptions {
  /** The statuses that the caller handles; any other becomes an `EngineError`. */
  readonly expect: readonly number[];
  readonly json?: unknown;
  /** A tar archive, sent as it comes. */
  readonly tar?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends requests to one engine. */
export interface Transport {
  /** The address as the user would write it in `DOCKER_HOST`. */
  readonly address: string;
  /**
   * @param path begins with a slash.
   * @throws EngineError on a status that is not expected.
   * @throws BrokenEngine when it cannot be reached.
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

/**
 * Opens a transport; nothing is sent yet.
 * @throws CertificatesError
 */
export async function openTransport(address: Address): Promise<Transport> {
  const tls = address.kind === "tcp" && address.tls ? await tlsOptions(address.tls) : undefined;
  const client = await clientOf(address, tls);
  const base = address.kind === "tcp"
    ? `${address.tls ? "https" : "http"}://${address.host}`
    : `http://${NOWHERE}`;
  return {
    address: addressText(address),
    request: (method, path, options) => send(client.fetch, base, method, path, options),
    upgrade: (path, signal) => upgraded(address, tls, path, signal),
    close: () => client.close(),
  };
}

async function clientOf(
  address: Address,
  tls: TlsOptions | undefined,
): Promise<EngineClient> {
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

async function send(
  fetch: EngineFetch,
  base: string,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.json !== undefined) headers.set("Content-Type", "application/json");
  if (options.tar) headers.set("Content-Type", "application/x-tar");
  const call = callOf(method, path);
  let response: Response;
  try {
    response = await fetch(base + path, {
      method,
      headers,
      body: options.tar ?? (options.json === undefined ? undefined : JSON.stringify(options.json)),
      signal: options.signal,
    });
  } catch (cause) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw noAnswer(cause);
  }
  const answer = answerOf(response, call, options.signal);
  if (options.expect.includes(response.status)) return answer;
  const reason = refusal(await answer.text(), response.statusText);
  throw new EngineError(response.status, reason, call);
}

/** Method and path as messages have them: `POST /containers/ID/start`. */
function callOf(method: string, path: string): string {
  return `${method} ${path.replace(/^\/v[\d.]+/, "").replace(/\?.*$/, "")}`;
}

function noAnswer(cause: unknown): BrokenEngine {
  return new BrokenEngine(`The Docker Engine does not answer: ${reasonOf(cause)}`, {
    hint: "Is it still running? docker version tells.",
    cause,
  });
}

async function upgraded(
  address: Address,
  tls: TlsOptions | undefined,
  path: string,
  signal: AbortSignal,
): Promise<Upgraded> {
  // Loaded where somebody types at a container.
  const { upgrade } = await import("./upgrade.ts");
  const answer = await upgrade(address, tls, path, signal).catch((cause) => {
    throw signal.aborted ? signal.reason : noAnswer(cause);
  });
  const call = callOf("POST", path);
  if ("status" in answer) {
    throw new EngineError(answer.status, refusal(answer.text, ""), call);
  }
  async function* output(connection: Upgraded): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* connection.output;
    } catch (cause) {
      throw signal.aborted ? signal.reason : brokenOff(call, cause);
    }
  }
  return { ...answer, output: output(answer) };
}

function answerOf(response: Response, call: string, signal: AbortSignal | undefined): Answer {
  function broken(cause: unknown): unknown {
    return signal?.aborted ? signal.reason : brokenOff(call, cause);
  }
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      while (true) {
        const { done, value } = await reader.read().catch((cause) => {
          throw broken(cause);
        });
        if (done) return;
        yield value;
      }
    } finally {
      // Ends the answer where nobody wants the rest. If it has failed, that error is known already.
      reader.cancel().catch(() => {});
    }
  }
  async function text(): Promise<string> {
    return await response.text().catch((cause) => {
      throw broken(cause);
    });
  }
  return {
    status: response.status,
    headers: response.headers,
    body: body(),
    text,
    async object<T>(...keys: readonly (keyof T & string)[]): Promise<T> {
      const words = await text();
      const value = parsed(words, call);
      if (isObject(value) && keys.every((key) => Object.hasOwn(value, key))) return value as T;
      throw unexpected(call, words);
    },
    async list<T>(): Promise<readonly T[]> {
      const words = await text();
      const value = parsed(words, call);
      if (Array.isArray(value) && value.every(isObject)) return value as T[];
      throw unexpected(call, words);
    },
    async discard(): Promise<void> {
      await response.body?.cancel();
    },
  };
}

/** The error for an answer that breaks off, since the engine or the connection went away. */
function brokenOff(call: string, cause: unknown): BrokenEngine {
  return new BrokenEngine(
    `The Docker Engine broke its answer off (${call}): ${reasonOf(cause)}`,
    { hint: "Is it still running? docker version tells.", cause },
  );
}

function parsed(text: string, call: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpected(call, text, cause);
  }
}

/** How much of an answer that mlcli does not understand is shown, in characters. */
const SHOWN_LENGTH = 500;

/** The error for an answer in another form than the Engine API's. */
export function unexpected(call: string, text: string, cause?: unknown): BrokenEngine {
  return new BrokenEngine(`The Docker Engine's answer is not what its API says (${call})`, {
    quote: text.slice(0, SHOWN_LENGTH) || "(nothing)",
    hint: "Is this the address of a Docker Engine, and is it still running? mlcli doctor tells.",
    cause,
  });
}

/** Deno's words for a failed connection; before 2.9 in the message, later in the cause. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}

/** The engine's words: `{"message": ...}`; Podman adds `cause` and `response`. */
function refusal(text: string, statusText: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text.trim() || statusText;
  }
}
