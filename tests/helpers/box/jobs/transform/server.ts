/** What is asked of a host of a transform. */

import type { Instance } from "../../endpoints/serving/instance.ts";
import { Limit, pause } from "../../endpoints/serving/settings.ts";
import { RecordError } from "./records.ts";
import type { Parameters } from "./requests.ts";

/** For an answer to `/execution-parameters`, and before a request comes again: in ms. */
const PARAMETERS_TIMEOUT = 2_000;
const RETRY_PAUSE = 100;

interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The model's server on a host. */
export class TransformServer {
  constructor(
    private readonly instance: Instance,
    private readonly use: {
      // deno-lint-ignore no-explicit-any
      readonly request: Readonly<Record<string, any>>;
      readonly client: Deno.HttpClient;
      /** Ends all. */
      readonly closing: AbortSignal;
    },
  ) {}

  /** What it says of how it wants to be asked; it need not say anything. */
  async executionParameters(): Promise<Partial<Parameters>> {
    try {
      const { status, body } = await this.#ask("/execution-parameters", PARAMETERS_TIMEOUT);
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
    const { request: { ModelClientConfig }, closing } = this.use;
    const { InvocationsTimeoutInSeconds: timeout = 600, InvocationsMaxRetries = 3 } =
      ModelClientConfig ?? {};
    for (let left = InvocationsMaxRetries;; left--) {
      const answer = await this.#ask("/invocations", timeout * 1_000, body)
        .catch((error: Error) => error);
      closing.throwIfAborted();
      const isAnswer = !(answer instanceof Error);
      if (isAnswer && answer.status === 200) return answer.body;
      const isFinal = isAnswer && answer.status !== 429 && answer.status < 500;
      if (isFinal || left === 0) throw failureOf(answer, timeout);
      await pause(RETRY_PAUSE, closing);
    }
  }

  async #ask(path: string, milliseconds: number, body?: Uint8Array): Promise<Answer> {
    const { client, closing, request } = this.use;
    const { ContentType, Accept } = { ...request.TransformInput, ...request.TransformOutput };
    using limit = new Limit(milliseconds, closing);
    try {
      const answer = await fetch(`http://${this.instance.address}${path}`, {
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
