/** Requests to the Engine API: with Deno's `fetch`, or by `pipe.ts` over a named pipe of Windows. */

import { messageOf, MlcliError } from "../errors.ts";
import { abortOf, onAbort } from "../time.ts";
import { type Answer, answerOf, beginningOf, statusError } from "./answer.ts";
import { BrokenEngine, EngineGone, isConnectionLoss, reasonOf } from "./errors.ts";
import type { Address, TlsFiles } from "./locate.ts";
import type { EngineClient } from "./pipe.ts";
import {
  type EngineWait,
  type Limits,
  NO_LIMITS,
  Waiting,
  type WaitingOptions,
} from "./time_limits.ts";
import type { TlsOptions, Upgraded } from "./upgrade.ts";

/** The files that a TLS connection to the engine needs cannot be read. */
export class CertificatesError extends MlcliError {
  override readonly name = "CertificatesError";
}

/**
 * What a request has besides method and path. By default its effort (`time_limits.ts`) is "ask" where
 * the method only reads, and "act" where it changes something.
 */
export interface RequestOptions extends Partial<Omit<EngineWait, "call">>, WaitingOptions {
  /** The statuses that the caller handles; any other becomes an `EngineError`. */
  readonly expect: readonly number[];
  readonly json?: unknown;
  /** A tar archive, sent as it comes. */
  readonly tar?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
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
   * @throws EngineError when the engine refuses.
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
export async function openTransport(address: Address, limits = NO_LIMITS): Promise<Transport> {
  const tls = address.kind === "tcp" && address.tls ? await tlsOptions(address.tls) : undefined;
  const client = await clientOf(address, tls);
  const base = address.kind === "tcp"
    ? `${address.tls ? "https" : "http"}://${address.host}`
    : `http://${NOWHERE}`;
  const target = { client, base, limits, address: addressText(address) };
  return {
    address: target.address,
    request: (method, path, options) => send(target, method, path, options),
    upgrade: (path, signal) => upgraded(address, tls, limits, path, signal),
    close: () => client.close(),
  };
}

async function clientOf(address: Address, tls: TlsOptions | undefined): Promise<EngineClient> {
  if (address.kind === "pipe") return (await import("./pipe.ts")).pipeClient(address.path);
  const client = address.kind === "unix"
    ? Deno.createHttpClient({ proxy: { transport: "unix", path: address.path } })
    : Deno.createHttpClient(tls ?? {});
  return {
    // No engine redirects; a proxy in front of it may.
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
    throw new CertificatesError(`Cannot read the TLS certificates: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function isMissing(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => false, (error) => error instanceof Deno.errors.NotFound);
}

/** Where requests go, and how long they may take. */
interface Target {
  readonly client: EngineClient;
  readonly base: string;
  readonly limits: Limits;
  /** For messages. */
  readonly address: string;
}

async function send(
  { client, base, limits, address }: Target,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Answer> {
  const headers = new Headers(options.headers);
  if (options.json !== undefined) headers.set("Content-Type", "application/json");
  if (options.tar) headers.set("Content-Type", "application/x-tar");
  const call = callOf(method, path);
  const effort = method === "GET" || method === "HEAD" ? "ask" : "act";
  const waiting = new Waiting(limits, { call, effort, ...options }, options);
  const response = await waiting.during(
    (signal) =>
      client.fetch(base + path, {
        method,
        headers,
        body: options.tar ??
          (options.json === undefined ? undefined : JSON.stringify(options.json)),
        signal,
      }),
    (cause) =>
      options.tar && !isConnectionLoss(cause)
        ? unreadableArchive(call, cause)
        : new EngineGone(call, cause),
  );
  const answer = answerOf(response, { call, address }, waiting);
  if (options.expect.includes(response.status)) return answer;
  const { status, statusText } = response;
  throw statusError(status, await beginningOf(answer.body), statusText, { call, address });
}

/** Method and path as messages have them: `POST /containers/ID/start`. */
function callOf(method: string, path: string): string {
  return `${method} ${path.replace(/^\/v[\d.]+/, "").replace(/\?.*$/, "")}`;
}

/** The error for an archive that cannot be read to its end. */
function unreadableArchive(call: string, cause: unknown): BrokenEngine {
  return new BrokenEngine(
    `Cannot send the files to the Docker Engine (${call}): ${reasonOf(cause)}`,
    { cause },
  );
}

async function upgraded(
  address: Address,
  tls: TlsOptions | undefined,
  limits: Limits,
  path: string,
  signal: AbortSignal,
): Promise<Upgraded> {
  // Loaded only where somebody types into a container.
  const { upgrade } = await import("./upgrade.ts");
  const call = callOf("POST", path);
  const cut = new AbortController();
  onAbort(signal, () => cut.abort(signal.reason));
  const answer = await limits.during(
    { call, effort: "ask" },
    cut,
    () => Promise.race([upgrade(address, tls, path, cut.signal), abortOf(cut.signal)]),
  ).catch((cause) => {
    throw cut.signal.aborted ? cut.signal.reason : new EngineGone(call, cause);
  });
  if ("status" in answer) {
    throw statusError(answer.status, answer.text, "", { call, address: addressText(address) });
  }
  async function* output(connection: Upgraded): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* connection.output;
    } catch (cause) {
      throw signal.aborted ? signal.reason : new EngineGone(call, cause);
    }
  }
  return { ...answer, output: output(answer) };
}
