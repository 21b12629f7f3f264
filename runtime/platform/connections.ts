/**
 * How the AWS SDK talks to its services: over Deno's own fetch, which on all versions of Deno takes
 * connections that are closed after an answer, and knows proxies and private certificates.
 *
 * @module
 */

import { trustedCertificates } from "./certificates.ts";
import { ConnectionError, connectionError } from "./connection_error.ts";
import { PlatformError } from "./errors.ts";
import { namesProxy } from "./proxy.ts";
import { FetchHttpHandler } from "./sdk.ts";

/** How long something may take, in ms. */
export interface TimeLimits {
  /** Until there is a connection. */
  readonly connection: number;
  /** Until the whole answer is there, the connection included. */
  readonly answer: number;
}

/** A healthy service answers within a second; these end a wait for one that never will. */
const TIME_LIMITS: TimeLimits = { connection: 10_000, answer: 30_000 };

/** What connecting needs to know. */
export interface ConnectionOptions {
  readonly env: (name: string) => string | undefined;
  /** Whose `ca_bundle` counts. */
  readonly profile?: string;
  readonly limits?: TimeLimits;
}

/** The connections of one run. */
export class Connections implements Disposable {
  /** For every client of the SDK, those that get credentials included. */
  readonly handler: FetchHttpHandler;
  /** Why the last request got no answer. Some of the SDK's credential providers do not pass it on. */
  failure: ConnectionError | PlatformError | undefined;
  readonly #options: ConnectionOptions;
  readonly #clients = new Map<string, Promise<Deno.HttpClient | undefined>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    // The handler always gives a Request.
    this.handler = new FetchHttpHandler({
      customFetch: (request) => this.#ask(request as Request),
    });
  }

  /**
   * Sends a request and reads the whole answer, so that one that stops in its middle fails here,
   * where the SDK asks again.
   */
  async #ask(request: Request): Promise<Response> {
    const { env, limits = TIME_LIMITS } = this.#options;
    using limit = new TimeLimit(new URL(request.url), limits, namesProxy(env));
    try {
      const response = await fetch(request, {
        client: await this.#clientFor(request),
        // A request is signed for one host.
        redirect: "manual",
        signal: AbortSignal.any([request.signal, limit.signal]),
      });
      const body = await response.arrayBuffer();
      this.failure = undefined;
      return new Response(body.byteLength > 0 ? body : null, response);
    } catch (error) {
      this.failure = error instanceof PlatformError
        ? error
        : limit.reason ?? connectionError(error, new URL(request.url).host);
      throw this.failure;
    }
  }

  #clientFor(request: Request): Promise<Deno.HttpClient | undefined> {
    const isEncrypted = request.url.startsWith("https:");
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
    if (isKept && caCerts.length === 0) return undefined; // Deno's own serves as well
    return Deno.createHttpClient({
      caCerts: [...caCerts],
      ...(isKept ? {} : { poolMaxIdlePerHost: 0 }),
    });
  }

  /** Lets go of the connections. */
  [Symbol.dispose](): void {
    for (const client of this.#clients.values()) client.then((made) => made?.close(), () => {});
  }
}

/**
 * Whether it does no harm when a request arrives twice. Deno 2.9 sends one again by itself, unseen,
 * when a connection that was kept from an earlier request breaks off before the answer: what deletes
 * gets a connection of its own, on which it does not, and the SDK's retry is the only one.
 */
function isRepeatable({ headers }: Request): boolean {
  const operation = headers.get("x-amz-target")?.split(".").at(-1);
  return operation === undefined || /^(List|Describe|Get)/.test(operation);
}

/** Ends a request that takes too long: `signal` aborts, its reason says what took too long. */
class TimeLimit implements Disposable {
  readonly #over = new AbortController();
  readonly #timers: readonly ReturnType<typeof setTimeout>[];

  /** @param isIndirect whether it may be a proxy that is connected to. */
  constructor(url: URL, { connection, answer }: TimeLimits, isIndirect: boolean) {
    const end = (message: string): void =>
      this.#over.abort(new ConnectionError("time limit", url.host, message));
    // fetch does not tell when it is connected. Where no answer comes for half the time, somebody
    // else tries to connect in the other half.
    const half = connection / 2;
    const tryToConnect = async (): Promise<void> => {
      if (isIndirect || !await isSilent(url, half, this.#over.signal)) return;
      end(`No connection within ${connection / 1000} s`);
    };
    this.#timers = [
      setTimeout(() => end(`No answer within ${answer / 1000} s`), answer),
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
    // Whoever still tries to connect stops.
    this.#over.abort();
  }
}

/** Whether nobody there takes or refuses a connection in that time. */
async function isSilent(
  { hostname, port, protocol }: URL,
  milliseconds: number,
  over: AbortSignal,
): Promise<boolean> {
  const end = AbortSignal.timeout(milliseconds);
  const address = {
    // An IPv6 address stands in brackets there.
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
