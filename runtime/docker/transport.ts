/**
 * Requests to the Engine API over its unix socket or TCP, with Deno's `fetch`.
 *
 * @module
 */

import { messageOf, MlcliError } from "../errors.ts";
import type { Address, TlsFiles } from "./locate.ts";

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
    super("engine", `The Docker Engine refused (${call}: ${status}): ${reason}`);
  }
}

/** The files that the way to the engine needs for TLS cannot be read. */
export class CertificatesError extends MlcliError {
  override readonly name = "CertificatesError";
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
   * @throws MlcliError of kind `engine` when the engine cannot be reached.
   */
  request(method: string, path: string, options: RequestOptions): Promise<Response>;
  close(): void;
}

/** The address as `DOCKER_HOST` has it. */
export function addressText(address: Address): string {
  return address.kind === "unix" ? `unix://${address.path}` : `tcp://${address.host}`;
}

/**
 * Opens a transport; nothing is sent yet.
 * @throws CertificatesError
 */
export async function openTransport(address: Address): Promise<Transport> {
  const client = address.kind === "unix"
    ? Deno.createHttpClient({ proxy: { transport: "unix", path: address.path } })
    : Deno.createHttpClient(address.tls ? await tlsOptions(address.tls) : {});
  const base = address.kind === "unix"
    ? "http://localhost"
    : `${address.tls ? "https" : "http"}://${address.host}`;
  return {
    address: addressText(address),
    request: (method, path, options) => send(client, base, method, path, options),
    close: () => client.close(),
  };
}

async function tlsOptions(
  { ca, cert, key }: TlsFiles,
): Promise<Deno.CreateHttpClientOptions | Deno.CreateHttpClientOptions & Deno.TlsCertifiedKeyPem> {
  try {
    const caCerts = [await Deno.readTextFile(ca)];
    // As `docker` does: where there is no certificate for the client, the engine asks for none.
    if (await isMissing(cert) && await isMissing(key)) return { caCerts };
    return { caCerts, cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
  } catch (cause) {
    throw new CertificatesError("engine", `Cannot read the certificates: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function isMissing(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => false, (error) => error instanceof Deno.errors.NotFound);
}

async function send(
  client: Deno.HttpClient,
  base: string,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Response> {
  const headers = new Headers(options.headers);
  if (options.json !== undefined) headers.set("Content-Type", "application/json");
  if (options.tar) headers.set("Content-Type", "application/x-tar");
  let response: Response;
  try {
    response = await fetch(base + path, {
      method,
      headers,
      body: options.tar ?? (options.json === undefined ? undefined : JSON.stringify(options.json)),
      signal: options.signal,
      client,
    });
  } catch (cause) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new MlcliError("engine", `The Docker Engine does not answer: ${reasonOf(cause)}`, {
      hint: "Is it still running? docker version asks it.",
      cause,
    });
  }
  if (options.expect.includes(response.status)) return response;
  const call = `${method} ${path.replace(/^\/v[\d.]+/, "").replace(/\?.*$/, "")}`;
  throw new EngineError(response.status, await refusal(response), call);
}

/** Deno's words for a failed connection; before 2.9 in the message, later in the cause. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}

/** The engine's words: `{"message": ...}`; Podman adds `cause` and `response`. */
async function refusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text;
  } catch {
    return text.trim() || response.statusText;
  }
}
