/** One request of a transform: what is sent, what counts as an answer, and what is sent again. */

import { plainType, type Transform } from "../../contract/transform.ts";
import { parseFilter, recordsOfType, UnfitRecord } from "../../contract/transform_filters.ts";
import { fileErrorReason } from "../../errors.ts";
import type { Connections, HttpRequest } from "../../http/exchange.ts";
import { BrokenMessage } from "../../http/messages.ts";
import { joined } from "../../streams.ts";
import { inOneLine } from "../../text.ts";
import { deadlineIn, joinSignals, pause } from "../../time.ts";

/** Whatever the server did not answer as it should. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";

  /** @param status of HTTP; `undefined`: there was no answer. */
  constructor(readonly status: number | undefined, readonly reason: string) {
    super(status === undefined ? reason : `HTTP ${status}: ${reason}`);
  }
}

/** How much of a refusal is read, in bytes, and shown, in characters. */
const MOST_READ = 4_096;
const MOST_SHOWN = 200;

/** Between two attempts, in ms; twice as long each time. */
const BETWEEN = 100;

/** What sending takes. */
export interface Sending {
  readonly transform: Transform;
  readonly connections: Connections;
  readonly signal: AbortSignal;
  /** Hears of each request that is sent again. */
  readonly onRetry: () => void;
}

/** The body of a request; one that is a stream is made anew for each attempt. */
export type RequestBody = () => HttpRequest["body"];

/**
 * Sends a request until it is answered: again where there was no answer in time, the connection broke, or
 * the status was 429 or 500 and above. (Which SageMaker sends again is not documented.)
 *
 * @param begin is called before each attempt's answer; what it returns gets that piece by piece.
 * @throws RequestFailure; the signal's reason.
 */
export async function send(
  { transform, connections, signal, onRetry }: Sending,
  body: RequestBody,
  begin: () => Promise<(piece: Uint8Array) => void | Promise<void>>,
  retries = transform.invocationRetries,
): Promise<void> {
  for (let attempt = 0;; attempt++) {
    try {
      return await attemptToSend();
    } catch (error) {
      const isFailure = error instanceof RequestFailure;
      const { status = 500 } = isFailure ? error : {};
      if (!isFailure || attempt === retries || status < 500 && status !== 429) throw error;
    }
    onRetry();
    await pause(BETWEEN * 2 ** attempt, signal);
  }

  async function attemptToSend(): Promise<void> {
    using deadline = deadlineIn(transform.invocationTimeout);
    using either = joinSignals(signal, deadline.signal);
    try {
      await connections.exchange(asHttp(transform, body()), either.signal, async (answer) => {
        if (answer.fault !== undefined) throw new BrokenMessage(answer.fault);
        if (answer.status < 200 || answer.status > 299) {
          throw new RequestFailure(answer.status, await wordsOf(answer.body));
        }
        const take = await begin();
        for await (const piece of answer.body) await take(piece);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.signal.aborted) {
        throw new RequestFailure(undefined, `no answer within ${transform.invocationTimeout} s`);
      }
      const isBroken = error instanceof BrokenMessage ||
        error instanceof Error && error.constructor.name in Deno.errors;
      throw isBroken ? new RequestFailure(undefined, fileErrorReason(error)) : error;
    }
  }
}

/** The same for an answer that is needed as a whole. */
export async function answerTo(
  sending: Sending,
  bytes: Uint8Array,
  retries?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array[] = [];
  // deno-lint-ignore require-await -- what gets a stream's pieces waits
  const begin = async () => {
    pieces = [];
    return (piece: Uint8Array) => void pieces.push(piece.slice());
  };
  await send(sending, () => [bytes], begin, retries);
  return joined(pieces);
}

/** As SageMaker's client sends it: without the name of the file. */
function asHttp({ contentType, accept }: Transform, body: HttpRequest["body"]): HttpRequest {
  return {
    call: "POST /invocations",
    headers: {
      "User-Agent": "Go-http-client/1.1",
      "Content-Type": contentType,
      ...accept === undefined ? {} : { Accept: accept },
    },
    body,
  };
}

async function wordsOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  // To its end, where it is short: then the connection can be used again.
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    length += piece.length;
    if (length > MOST_READ) break;
  }
  const words = inOneLine(text.trim().replace(/\s+/g, " "));
  return words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN)}...` : words || "(no words)";
}

/** How filters and the join change records on their way. */
export class Processing {
  readonly #records;
  readonly #input;
  readonly #output;

  constructor(private readonly transform: Transform) {
    const { contentType, inputFilter, outputFilter } = transform;
    this.#records = recordsOfType(plainType(contentType));
    this.#input = inputFilter === undefined ? undefined : parseFilter(inputFilter);
    this.#output = outputFilter === undefined ? undefined : parseFilter(outputFilter);
  }

  /** @throws UnfitRecord */
  request(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const filter = this.#input;
    if (filter === undefined) return bytes;
    return this.#encoded(this.#decoded(bytes).map((one) => this.#records.filter(one, filter)));
  }

  /**
   * @param bytes the records as they lie in the file.
   * @throws UnfitRecord where there is not an answer for each.
   */
  result(bytes: Uint8Array, answer: Uint8Array): Uint8Array<ArrayBuffer> {
    const [records, answers] = [this.#decoded(bytes), this.#decoded(answer)];
    if (records.length !== answers.length) {
      throw new UnfitRecord(`records: ${records.length}, answers: ${answers.length}`);
    }
    const isJoined = this.transform.join === "input";
    const filter = this.#output;
    return this.#encoded(answers.map((answer, index) => {
      const whole = isJoined ? this.#records.join(records[index]!, answer) : answer;
      return filter === undefined ? whole : this.#records.filter(whole, filter);
    }));
  }

  #decoded(bytes: Uint8Array): readonly string[] {
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new UnfitRecord("it is not UTF-8");
    }
    if (this.transform.split === "none") return [text];
    return text.replace(/\r?\n$/, "").split(/\r?\n/);
  }

  #encoded(records: readonly string[]): Uint8Array<ArrayBuffer> {
    const end = this.transform.split === "none" ? "" : "\n";
    return new TextEncoder().encode(records.join("\n") + end);
  }
}
