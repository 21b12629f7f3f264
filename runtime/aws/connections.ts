/**
 * How the AWS SDK talks to its services: over Deno's own fetch. On all versions of Deno it copes
 * with connections that are closed after an answer, and it supports proxies and private
 * certificates.
 *
 * @module
 */

import { trustedCertificates } from "./certificates.ts";
import { ConnectionError, connectionError } from "./connection_error.ts";
import { AwsError } from "./errors.ts";
import { namesProxy } from "./proxy.ts";

/** How long something may take, in ms. */
export interface TimeLimits {
  /** Until there is a connection. */
  readonly connection: number;
  /**
   * Until the whole answer is there, the connection included. What is sent or fetched of data, in
   * pieces of known size, gets more.
   */
  readonly answer: number;
}

/** A healthy service answers within a second; these limits are for one that never answers. */
const TIME_LIMITS: TimeLimits = { connection: 10_000, answer: 30_000 };

/** What connecting needs to know. */
export interface ConnectionOptions {
  readonly env: (name: string) => string | undefined;
  /** The profile whose `ca_bundle` counts. */
  readonly profile?: string;
  readonly limits?: TimeLimits;
}

/** A request of the SDK, as far as it is HTTP. */
export interface SdkRequest {
  readonly method: string;
  /** With a colon: `https:`. */
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Text or bytes: what can be sent again. */
  readonly body?: BodyInit;
}

/** An answer as the SDK reads it. */
export interface SdkResponse {
  readonly statusCode: number;
  readonly reason: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/**
 * The connections of one run: what the SDK calls a request handler, for every client of the SDK,
 * those that get credentials included.
 *
 * The SDK's own handler over fetch is not used: its time limit covers only the head of an answer, a
 * body that breaks off or stalls ends the command, and it does not retry what Deno's fetch throws.
 */
export class Connections implements Disposable {
  /** Why the last request got no answer. Some of the SDK's credential providers do not pass it on. */
  failure: ConnectionError | AwsError | undefined;
  readonly #options: ConnectionOptions;
  readonly #clients = new Map<string, Promise<Deno.HttpClient | undefined>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and reads the whole answer, so that an answer that stops half-way fails here,
   * where the SDK retries.
   *
   * @throws ConnectionError when there is no whole answer, AwsError when certificates that
   * somebody names cannot be read, or the reason why it was aborted.
   */
  async handle(
    request: SdkRequest,
    options: { readonly abortSignal?: unknown } = {},
  ): Promise<{ readonly response: SdkResponse }> {
    // The SDK has a type of its own for the signal, but passes on the object that it was given.
    const abortSignal = options.abortSignal as AbortSignal | undefined;
    abortSignal?.throwIfAborted();
    const { env, limits = TIME_LIMITS } = this.#options;
    const url = urlOf(request);
    const answer = limits.answer + transferTime(request);
    using limit = new TimeLimit(url, { ...limits, answer }, namesProxy(env));
    try {
      const response = await fetch(url, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        client: await this.#clientFor(request),
        // A request is signed for one host.
        redirect: "manual",
        signal: abortSignal ? AbortSignal.any([abortSignal, limit.signal]) : limit.signal,
      });
      const body = await response.bytes();
      this.failure = undefined;
      const { status: statusCode, statusText: reason } = response;
      return {
        response: { statusCode, reason, headers: Object.fromEntries(response.headers), body },
      };
    } catch (error) {
      abortSignal?.throwIfAborted();
      this.failure = error instanceof AwsError
        ? error
        : limit.reason ?? connectionError(error, url.host);
      throw this.failure;
    }
  }

  /** The SDK would change a setting of the handler here. */
  updateHttpClientConfig(): void {}

  /** Nothing can be changed. */
  httpHandlerConfigs(): Record<string, never> {
    return {};
  }

  #clientFor(request: SdkRequest): Promise<Deno.HttpClient | undefined> {
    const isEncrypted = request.protocol === "https:";
    const isKept = isRepeatable(request);
    const key = `${isEncrypted} ${isKept}`;
    const known = this.#clients.get(key);
    if (known) return known;
    const client = this.#makeClient(isEncrypted, isKept);
    this.#clients.set(key, client);
    return client;
  }

  async #makeClient(isEncrypted: boolean, isKept: boolean): Promise<Deno.HttpClient | undefined> {
    const { profile, env } = this.#options;
    const caCerts = isEncrypted ? await trustedCertificates(profile, env) : [];
    if (isKept && caCerts.length === 0) return undefined; // Deno's default client is enough
    return Deno.createHttpClient({
      caCerts: [...caCerts],
      ...(isKept ? {} : { poolMaxIdlePerHost: 0 }),
    });
  }

  /** Closes the connections. */
  [Symbol.dispose](): void {
    for (const client of this.#clients.values()) client.then((made) => made?.close(), () => {});
  }
}

/**
 * Whether a request may arrive twice without harm. Deno 2.9 sends a request again, unnoticed, when
 * a connection that was kept from an earlier request breaks off before the answer. So a request
 * that creates or deletes gets a new connection, on which Deno does not do that: only the SDK
 * retries it. (Of S3's requests only those to begin, to complete and to delete are no PUT, GET or
 * HEAD.)
 */
function isRepeatable({ method, headers }: SdkRequest): boolean {
  const operation = headers["x-amz-target"]?.split(".").at(-1);
  if (operation === undefined) return method !== "POST" && method !== "DELETE";
  return /^(List|Describe|Get|BatchGet)/.test(operation);
}

/** Bytes a second of the slowest line that data is sent or fetched over: a poor mobile one. */
const SLOWEST_LINE = 16_384;

/** How long a request's data may take besides, in ms: what it sends, or the range it asks for. */
function transferTime({ body, headers }: SdkRequest): number {
  const sent = body instanceof Uint8Array ? body.length : 0;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers["range"] ?? "") ?? [];
  const asked = first === undefined ? 0 : Number(last) - Number(first);
  return (sent + asked) / SLOWEST_LINE * 1000;
}

function urlOf({ protocol, hostname, port, path, query = {} }: SdkRequest): URL {
  const parts = Object.keys(query).sort().flatMap((key) =>
    [query[key] ?? null].flat().map((value) =>
      value === null ? escaped(key) : `${escaped(key)}=${escaped(value)}`
    )
  );
  const search = parts.length > 0 ? `?${parts.join("&")}` : "";
  return new URL(`${protocol}//${hostname}${port ? `:${port}` : ""}${path}${search}`);
}

/** Escapes a text as the signature does: by RFC 3986, which escapes more than JavaScript does. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Ends a request that takes too long: `signal` aborts, its reason says what took too long. */
class TimeLimit implements Disposable {
  readonly #over = new AbortController();
  readonly #timers: readonly ReturnType<typeof setTimeout>[];

  /** @param isIndirect whether the connection may go to a proxy. */
  constructor(url: URL, { connection, answer }: TimeLimits, isIndirect: boolean) {
    const end = (message: string): void =>
      this.#over.abort(new ConnectionError("time limit", url.host, message));
    // fetch does not tell when it is connected. So when no answer has come in half of the time, a
    // second connection is tried in the other half.
    const half = connection / 2;
    const tryToConnect = async (): Promise<void> => {
      if (isIndirect || !await isSilent(url, half, this.#over.signal)) return;
      end(`No connection within ${connection / 1000} s`);
    };
    this.#timers = [
      setTimeout(() => end(`No answer within ${Math.round(answer / 100) / 10} s`), answer),
      setTimeout(tryToConnect, half),
    ];
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** What took too long, if something has. */
  get reason(): ConnectionError | undefined {
    const { aborted, reason } = this.#over.signal;
    return aborted ? reason : undefined;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    // Stops an attempt to connect that is still running.
    this.#over.abort();
  }
}

/** Whether a connection is neither accepted nor refused in that time. */
async function isSilent(
  { hostname, port, protocol }: URL,
  milliseconds: number,
  over: AbortSignal,
): Promise<boolean> {
  const end = AbortSignal.timeout(milliseconds);
  const address = {
    // In a URL, an IPv6 address stands in brackets.
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
  };
  try {
    (await Deno.connect({ ...address, signal: AbortSignal.any([end, over]) })).close();
    return false;
  } catch {
    return end.aborted && !over.aborted;
  }
}
