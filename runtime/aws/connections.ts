import { onAbort } from "../time.ts";
import { type ConnectionError, connectionError } from "./connection_error.ts";
import { AwsError } from "./errors.ts";
import { TimeLimit, type TimeLimits, wholeAnswer, withinLimits } from "./limits.ts";
import { namesProxy, trustedCertificates } from "./network.ts";

/** A healthy service answers within a second; these limits are for one that never answers. */
const TIME_LIMITS: TimeLimits = { connection: 10_000, answer: 30_000 };

/**
 * Of SageMaker Runtime, InvokeEndpoint: "If your model is going to take 50-60 seconds of processing
 * time, the SDK socket timeout should be set to be 70 seconds". In ms.
 */
const ANSWER_MARGIN = 10_000;

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

export interface SdkResponse {
  readonly statusCode: number;
  readonly reason: string;
  readonly headers: Record<string, string>;
  /** The whole answer, or a stream of events. */
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

export interface SdkRequestOptions {
  readonly abortSignal?: unknown;
  /** How long the model behind the service may take, in ms. */
  readonly requestTimeout?: number;
}

/** The type of a stream of events (Smithy's "Amazon Event Stream"). */
const EVENTS = "application/vnd.amazon.eventstream";

/**
 * The connections of one run, over Deno's fetch: what the SDK calls a request handler, for every client
 * of the SDK, those that get credentials included.
 *
 * The SDK's own handler over fetch is not used: its time limit covers only the head of an answer, a
 * body that breaks off or stalls ends the command, and it does not retry what Deno's fetch throws.
 */
export class Connections implements Disposable {
  /** Why the last request got no answer: some of the SDK's credential providers hide it. */
  failure: ConnectionError | AwsError | undefined;
  readonly #clients = new Map<string, Promise<Deno.HttpClient | undefined>>();

  constructor(private readonly options: ConnectionOptions) {}

  /**
   * Sends a request and reads the whole answer, so that an answer that stops half-way fails here,
   * where the SDK retries. Only a stream of events is passed on as it comes, and fails with the same
   * errors.
   *
   * @throws ConnectionError when there is no whole answer; AwsError when it is too large, or named
   * certificates cannot be read; the signal's reason.
   */
  async handle(
    request: SdkRequest,
    { requestTimeout, ...options }: SdkRequestOptions = {},
  ): Promise<{ readonly response: SdkResponse }> {
    // The SDK has a type of its own for the signal, but passes on the object that it was given.
    const abortSignal = options.abortSignal as AbortSignal | undefined;
    abortSignal?.throwIfAborted();
    const { env, limits = TIME_LIMITS } = this.options;
    const url = urlOf(request);
    const usual = requestTimeout === undefined
      ? limits.answer
      : requestTimeout + (limits.margin ?? ANSWER_MARGIN);
    const answer = usual + transferTime(request);
    using held = new DisposableStack();
    const limit = held.use(new TimeLimit(url, { ...limits, answer }, namesProxy(env)));
    if (abortSignal) held.use(onAbort(abortSignal, () => limit.abort(abortSignal.reason)));
    const explained = (error: unknown): unknown => {
      if (abortSignal?.aborted) return abortSignal.reason;
      return this.failure = error instanceof AwsError
        ? error
        : limit.reason ?? connectionError(error, url.host);
    };
    try {
      const response = await fetch(url, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        client: await this.#clientFor(request),
        // A request is signed for one host.
        redirect: "manual",
        signal: limit.signal,
      });
      limit.connected();
      // Deno (2.6 to 2.9, tried) forgets the signal of a request whose Response is collected.
      held.defer(() => void response);
      const body = response.body !== null && isStreamed(request, response)
        ? ReadableStream.from(piecesOf(response.body, untilAborted(held, abortSignal), explained))
        : await wholeAnswer(response.body);
      this.failure = undefined;
      const { status: statusCode, statusText: reason } = response;
      return {
        response: { statusCode, reason, headers: Object.fromEntries(response.headers), body },
      };
    } catch (error) {
      throw explained(error);
    }
  }

  /** Required by the SDK; nothing can be changed. */
  updateHttpClientConfig(): void {}

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
    const { profile, env } = this.options;
    const caCerts = isEncrypted ? await trustedCertificates(profile, env) : [];
    if (isKept && caCerts.length === 0) return undefined; // Deno's default client is enough
    return Deno.createHttpClient({
      caCerts: [...caCerts],
      ...(isKept ? {} : { poolMaxIdlePerHost: 0 }),
    });
  }

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

/** Whether an answer is passed on as it comes: a model may send that type in another answer, too. */
function isStreamed({ path }: SdkRequest, { ok, headers }: Response): boolean {
  const isEvents = headers.get("content-type")?.toLowerCase().startsWith(EVENTS) ?? false;
  return ok && isEvents && /-response-stream$/.test(path);
}

/** Takes over what is held, until disposal or the request's abort. */
function untilAborted(held: DisposableStack, abortSignal: AbortSignal | undefined): Disposable {
  const moved = held.move();
  if (abortSignal) moved.use(onAbort(abortSignal, () => moved.dispose()));
  return moved;
}

/** @param held what is needed as long as pieces come. */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  held: Disposable,
  explained: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  using _held = held;
  try {
    yield* withinLimits(body);
  } catch (error) {
    throw explained(error);
  }
}

/** Bytes per second of the slowest connection: a poor mobile one. */
const SLOWEST_LINE = 16_384;

/** How much longer a request may take for its data, in ms: the body, or the range that it asks for. */
function transferTime({ body, headers }: SdkRequest): number {
  const sent = body instanceof Uint8Array ? body.length : 0;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers["range"] ?? "") ?? [];
  const asked = first === undefined ? 0 : Number(last) - Number(first);
  return (sent + asked) / SLOWEST_LINE * 1000;
}

/** @throws AwsError where the path would become another on the way: `a/../b` is `b` to fetch. */
function urlOf({ protocol, hostname, port, path, query = {} }: SdkRequest): URL {
  const parts = Object.keys(query).sort().flatMap((key) =>
    [query[key] ?? null].flat().map((value) =>
      value === null ? escaped(key) : `${escaped(key)}=${escaped(value)}`
    )
  );
  const search = parts.length > 0 ? `?${parts.join("&")}` : "";
  const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ""}${path}${search}`);
  if (url.pathname === path) return url;
  const shown = decodeURIComponent(path);
  throw new AwsError("other", `"." and ".." are not supported in S3 paths: ${shown}`, {
    hint: "Correct the S3 URI. If the object has such a key, rename it in the AWS console.",
  });
}

/** Escapes a text as the signature does: by RFC 3986, which escapes more than JavaScript does. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
