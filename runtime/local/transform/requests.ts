/** One request of a transform: what is sent, what counts as an answer, and what is sent again. */

import { plainType, type Transform } from "../../contract/transform.ts";
import {
  type Filter,
  filteredRecord,
  joinedRecord,
  parseFilter,
  UnfitRecord,
} from "../../contract/transform_filters.ts";
import { linesIn } from "../../contract/transform_records.ts";
import { fileErrorReason } from "../../errors.ts";
import { type Connections, type HttpRequest, readStart } from "../../http/exchange.ts";
import { BrokenMessage } from "../../http/messages.ts";
import { inOneLine } from "../../text.ts";
import { deadlineIn, joinSignals, pause } from "../../time.ts";
import { RequestFailure } from "./failures.ts";
import type { Results } from "./results.ts";

/** How much of a text is read, and of a refusal shown, in characters. */
const MOST_READ = 4_096;
const MOST_SHOWN = 200;

/** Between two attempts, in ms; twice as long each time. */
const BETWEEN = 100;

/** What sending takes. */
export interface Sending {
  readonly transform: Transform;
  readonly connections: Connections;
  readonly signal: AbortSignal;
  readonly results: Results;
}

/**
 * Sends a request until it is answered: again where there was no answer in time, the connection broke, or
 * the status was 429 or 500 and above. (Which SageMaker sends again is not documented.)
 *
 * @param body is made anew for each attempt.
 * @param read gets the answer of each attempt.
 * @throws RequestFailure; the signal's reason.
 */
export async function send<T>(
  { transform, connections, signal, results }: Sending,
  body: () => HttpRequest["body"],
  read: (answer: AsyncIterable<Uint8Array>) => Promise<T>,
  retries = transform.invocationRetries,
): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await attemptToSend();
    } catch (error) {
      const isFailure = error instanceof RequestFailure;
      const { status = 500 } = isFailure ? error : {};
      if (!isFailure || attempt === retries || status < 500 && status !== 429) throw error;
    }
    results.retries++;
    await pause(BETWEEN * 2 ** attempt, signal);
  }

  async function attemptToSend(): Promise<T> {
    const { contentType, accept } = transform;
    const request = {
      call: "POST /invocations",
      // As SageMaker's client sends it: without the name of the file.
      headers: {
        "User-Agent": "Go-http-client/1.1",
        "Content-Type": contentType,
        ...accept === undefined ? {} : { Accept: accept },
      },
      body: body(),
    };
    using deadline = deadlineIn(transform.invocationTimeout);
    using either = joinSignals(signal, deadline.signal);
    try {
      return await connections.exchange(
        request,
        either.signal,
        async (answer) => {
          if (answer.fault !== undefined) throw new BrokenMessage(answer.fault);
          if (answer.status >= 200 && answer.status <= 299) return await read(answer.body);
          throw new RequestFailure(answer.status, wordsOf(await readStart(answer.body, MOST_READ)));
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.signal.aborted) {
        throw new RequestFailure(undefined, `no response within ${transform.invocationTimeout} s`);
      }
      const isBroken = error instanceof BrokenMessage ||
        error instanceof Error && error.constructor.name in Deno.errors;
      throw isBroken
        ? new RequestFailure(undefined, `incomplete response: ${fileErrorReason(error)}`)
        : error;
    }
  }
}

function wordsOf(text: string): string {
  const words = inOneLine(text.trim().replace(/\s+/g, " "));
  return words.length > MOST_SHOWN ? `${words.slice(0, MOST_SHOWN)}...` : words || "(no message)";
}

/** The longest record that a filter or a join reads: JSON takes a hundred times its size in memory. */
const LONGEST_RECORD = 8_000_000;

/** How filters and the join change records on their way. */
export class Processing {
  readonly #isCsv;
  readonly #input;
  readonly #output;

  constructor(private readonly transform: Transform) {
    const { contentType, inputFilter = "$", outputFilter = "$" } = transform;
    this.#isCsv = plainType(contentType) === "text/csv";
    this.#input = parseFilter(inputFilter);
    this.#output = parseFilter(outputFilter);
  }

  /** @throws UnfitRecord */
  request(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (this.#input.length === 0) return bytes;
    return this.#encoded(this.#decoded(bytes).map((one) => this.#filtered(one, this.#input)));
  }

  /**
   * @param bytes the records as they lie in the file.
   * @throws UnfitRecord if responses and records differ in number; the signal's reason.
   */
  async result(bytes: Uint8Array, answer: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    // Counted before they are split: a list of empty lines takes many times their size in memory.
    const isWhole = this.transform.split === "none";
    const [wanted, given] = [bytes, answer].map((one) => isWhole ? 1 : linesIn(one) || 1);
    if (wanted !== given) throw new UnfitRecord(`expected ${wanted} results but got ${given}`);
    const [records, answers] = [this.#decoded(bytes), this.#decoded(answer)];
    const isJoined = this.transform.join === "input";
    const results: string[] = [];
    let unheard = 0;
    for (const [index, answer] of answers.entries()) {
      const whole = isJoined ? joinedRecord(records[index]!, answer, this.#isCsv) : answer;
      results.push(this.#filtered(whole, this.#output));
      // JSON of many megabytes takes seconds: Ctrl-C has to be heard.
      unheard += answer.length;
      if (unheard > 1_000_000) unheard = await pause(0, signal).then(() => 0);
    }
    return this.#encoded(results);
  }

  /** `$` alone leaves a record as it is. */
  #filtered(record: string, filter: Filter): string {
    return filter.length === 0 ? record : filteredRecord(record, filter, this.#isCsv);
  }

  #decoded(bytes: Uint8Array): readonly string[] {
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new UnfitRecord("the text is not UTF-8");
    }
    const isWhole = this.transform.split === "none";
    const records = isWhole ? [text] : text.replace(/\r?\n$/, "").split(/\r?\n/);
    if (records.every(({ length }) => length <= LONGEST_RECORD)) return records;
    throw new UnfitRecord(`a record is longer than ${LONGEST_RECORD} characters`);
  }

  #encoded(records: readonly string[]): Uint8Array<ArrayBuffer> {
    const end = this.transform.split === "none" ? "" : "\n";
    return new TextEncoder().encode(records.join("\n") + end);
  }
}
