/** A host of a transform: a container with the model's server, and what is asked of it. */

import { Limit, pause } from "../../endpoints/serving/settings.ts";
import { type ContainerSpec, EngineContainer, type Exit } from "../../engine/container.ts";
import type { EngineApi } from "../../engine_api.ts";
import { RecordError } from "./records.ts";
import type { Parameters } from "./requests.ts";

/** The port that it listens on. */
const PORT = 8080;

/** Between two requests to `/ping`, for its answer, and before a request comes again: in ms. */
const PING_INTERVAL = 1_000;
const PING_TIMEOUT = 2_000;
const RETRY_PAUSE = 100;

/** What is asked of a server, and by what. */
export interface ServerUse {
  // deno-lint-ignore no-explicit-any
  readonly request: Readonly<Record<string, any>>;
  readonly client: Deno.HttpClient;
  /** Ends all. */
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** A server that runs, until it is disposed of. */
export class TransformServer implements AsyncDisposable {
  readonly #exit: Promise<Exit>;
  readonly #following: Promise<void>;
  #address?: string;

  private constructor(
    private readonly container: EngineContainer,
    private readonly use: ServerUse,
  ) {
    this.#exit = container.wait();
    this.#following = container.follow(use.onLine);
  }

  /** @throws EngineError where the image has no such program. */
  static async start(
    engine: EngineApi,
    spec: Omit<ContainerSpec, "command" | "port">,
    use: ServerUse,
  ): Promise<TransformServer> {
    const own = { ...spec, command: ["serve"], port: PORT };
    const container = await EngineContainer.create(engine, own);
    try {
      await container.start();
      return new TransformServer(container, use);
    } catch (error) {
      await container.remove();
      throw error;
    }
  }

  /** Waits until it is well. Returns whether it is, before so many ms are over. */
  async isReady(limit: number): Promise<boolean> {
    const ended = new AbortController();
    this.#exit.then(() => ended.abort());
    const over = AbortSignal.any([ended.signal, this.use.signal]);
    this.#address = await this.container.address(PORT);
    for (const start = Date.now(); Date.now() - start < limit && !over.aborted;) {
      const answer = await this.#ask("/ping", PING_TIMEOUT).catch(() => undefined);
      if (answer?.status === 200) return true;
      await pause(PING_INTERVAL, over);
    }
    return false;
  }

  /** What it says of how it wants to be asked; it need not say anything. */
  async executionParameters(): Promise<Partial<Parameters>> {
    try {
      const { status, body } = await this.#ask("/execution-parameters", PING_TIMEOUT);
      return status === 200 ? JSON.parse(new TextDecoder().decode(body)) : {};
    } catch {
      return {};
    }
  }

  /**
   * Sends records, and again where the answer is 429, 5xx or none: AWS does not say when it does.
   * @throws RecordError
   */
  async invoke(body: Uint8Array): Promise<Uint8Array> {
    const { request: { ModelClientConfig }, signal } = this.use;
    const { InvocationsTimeoutInSeconds: timeout = 600, InvocationsMaxRetries = 3 } =
      ModelClientConfig ?? {};
    for (let left = InvocationsMaxRetries;; left--) {
      const answer = await this.#ask("/invocations", timeout * 1_000, body)
        .catch((error: Error) => error);
      signal.throwIfAborted();
      const isAnswer = !(answer instanceof Error);
      if (isAnswer && answer.status === 200) return answer.body;
      const isFinal = isAnswer && answer.status !== 429 && answer.status < 500;
      if (isFinal || left === 0) throw failureOf(answer, timeout);
      await pause(RETRY_PAUSE, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.container.kill("SIGKILL");
      await Promise.all([this.#exit, this.#following]);
      await this.container.followRest(this.use.onLine);
    } finally {
      await this.container.remove();
    }
  }

  async #ask(path: string, milliseconds: number, body?: Uint8Array): Promise<Answer> {
    const { client, signal, request } = this.use;
    const { ContentType, Accept } = { ...request.TransformInput, ...request.TransformOutput };
    using limit = new Limit(milliseconds, signal);
    try {
      const answer = await fetch(`http://${this.#address}${path}`, {
        method: body ? "POST" : "GET",
        headers: {
          ...{ "user-agent": "Go-http-client/1.1", "accept-encoding": "identity" },
          ...(body && ContentType ? { "content-type": ContentType } : {}),
          ...(body && Accept ? { accept: Accept } : {}),
        },
        // Chunks, where the size is not to be known.
        body: body &&
          (request.MaxPayloadInMB === 0
            ? ReadableStream.from([body.slice()])
            : body as Uint8Array<ArrayBuffer>),
        ...{ redirect: "manual", signal: limit.signal, client },
      });
      return { status: answer.status, body: await answer.bytes() };
    } catch (error) {
      throw limit.isLate ? new Late() : error;
    }
  }
}

class Late extends Error {}

/** In the words of data logs in issues. */
function failureOf(answer: Answer | Error, seconds: number): RecordError {
  if (answer instanceof Late) {
    const within = `Model server did not respond to /invocations request within ${seconds} seconds`;
    return new RecordError([within], false);
  }
  if (answer instanceof Error) {
    return new RecordError(["Unable to get response from algorithm"], false);
  }
  const isClients = answer.status < 500;
  const what = isClients ? "ClientError" : "Bad HTTP status received from algorithm";
  const text = new TextDecoder().decode(answer.body).split("\n");
  return new RecordError([`${what}: ${answer.status}`, "", "Message:", ...text], isClients);
}
