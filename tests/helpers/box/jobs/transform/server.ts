/** A host of a transform: a container with the model's server, and what is asked of it. */

import { Limit, pause } from "../../endpoints/serving/settings.ts";
import { type ContainerSpec, EngineContainer, type Exit } from "../../engine/container.ts";
import type { EngineApi } from "../../engine_api.ts";
import { RecordError } from "./records.ts";

/** The port that it listens on. */
const PORT = 8080;

/** Between two requests to `/ping`, and for its answer, in ms. */
const PING_INTERVAL = 1_000;
const PING_TIMEOUT = 2_000;

/** Before an invocation is tried again, in ms. */
const RETRY_PAUSE = 100;

/** How requests are made. */
export interface Asking {
  readonly client: Deno.HttpClient;
  /** `Content-Type` and `Accept`, where the job has them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds for an answer. */
  readonly timeout: number;
  readonly retries: number;
  /** Whether the size of a body is not told: `MaxPayloadInMB` of 0. */
  readonly isChunked: boolean;
  /** Ends all. */
  readonly signal: AbortSignal;
}

/** A server that runs, until it is disposed of. */
export class TransformServer implements AsyncDisposable {
  readonly #exit: Promise<Exit>;
  readonly #following: Promise<void>;
  #address?: string;

  private constructor(
    private readonly container: EngineContainer,
    private readonly onLine: (line: string) => void,
    private readonly asking: Asking,
  ) {
    this.#exit = container.wait();
    this.#following = container.follow(onLine);
  }

  /** @throws EngineError where the image has no such program. */
  static async start(
    engine: EngineApi,
    spec: Omit<ContainerSpec, "command" | "port">,
    onLine: (line: string) => void,
    asking: Asking,
  ): Promise<TransformServer> {
    const container = await EngineContainer.create(engine, {
      ...{ ...spec, command: ["serve"], port: PORT },
    });
    try {
      await container.start();
      return new TransformServer(container, onLine, asking);
    } catch (error) {
      await container.remove();
      throw error;
    }
  }

  /** Waits until it is well. Returns whether it is, before so many ms are over. */
  async isReady(limit: number): Promise<boolean> {
    const { container, asking: { signal } } = this;
    const ended = new AbortController();
    this.#exit.then(() => ended.abort());
    this.#address = await container.address(PORT);
    for (const start = Date.now(); Date.now() - start < limit;) {
      const answer = await this.#ask("/ping", PING_TIMEOUT).catch(() => undefined);
      if (answer?.status === 200) return true;
      await pause(PING_INTERVAL, signal, ended.signal);
      if (signal.aborted || ended.signal.aborted) return false;
    }
    return false;
  }

  /** What it says of how it wants to be asked; it need not say anything. */
  async executionParameters(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const { status, body } = await this.#ask("/execution-parameters", PING_TIMEOUT);
      return status === 200 ? JSON.parse(new TextDecoder().decode(body)) : {};
    } catch {
      return {};
    }
  }

  /**
   * Sends records, and again where the answer is 429, 5xx or none (SageMaker does not say when).
   * @throws RecordError
   */
  async invoke(body: Uint8Array): Promise<Uint8Array> {
    const { timeout, retries, signal } = this.asking;
    for (let left = retries;; left--) {
      const answer = await this.#ask("/invocations", timeout * 1_000, body)
        .catch((error: Error) => error);
      signal.throwIfAborted();
      if (!(answer instanceof Error) && answer.status === 200) return answer.body;
      const isOften = answer instanceof Error || answer.status === 429 || answer.status >= 500;
      if (!isOften || left === 0) throw failureOf(answer, timeout);
      await pause(RETRY_PAUSE, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.container.kill("SIGKILL");
      await this.#exit;
      await this.#following;
      await this.container.followRest(this.onLine);
    } finally {
      await this.container.remove();
    }
  }

  async #ask(path: string, milliseconds: number, body?: Uint8Array): Promise<Answer> {
    const { client, headers, signal, isChunked } = this.asking;
    using limit = new Limit(milliseconds, signal);
    try {
      const answer = await fetch(`http://${this.#address}${path}`, {
        method: body ? "POST" : "GET",
        headers: {
          ...{ "user-agent": "Go-http-client/1.1", "accept-encoding": "identity" },
          ...(body ? headers : {}),
        },
        body: isChunked && body ? ReadableStream.from([body]) : body as Uint8Array<ArrayBuffer>,
        ...{ redirect: "manual", signal: limit.signal, client },
      });
      return { status: answer.status, body: await answer.bytes() };
    } catch (error) {
      throw limit.isLate ? new Late() : error;
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
}

class Late extends Error {}

/** In the words of issues, as `../shared/facts` has them. */
function failureOf(answer: Answer | Error, timeout: number): RecordError {
  if (answer instanceof Late) {
    return new RecordError(
      `Model server did not respond to /invocations request within ${timeout} seconds`,
      false,
    );
  }
  if (answer instanceof Error) {
    return new RecordError("Unable to get response from algorithm", false);
  }
  const isClients = answer.status < 500;
  const what = isClients ? "ClientError" : "Bad HTTP status received from algorithm";
  const text = new TextDecoder().decode(answer.body).split("\n");
  return new RecordError([`${what}: ${answer.status}`, "", "Message:", ...text], isClients);
}
