/** Sends the records of all files to a server, several at once, and writes the answers in their order. */

import { TRANSFORM } from "../../contract/limits.ts";
import { isProcessed, plainType, type RequestLimits } from "../../contract/transform.ts";
import {
  type Batch,
  batchesOf,
  linesIn,
  type OddLines,
  tooLarge,
} from "../../contract/transform_records.ts";
import { UnfitRecord } from "../../contract/transform_filters.ts";
import { join } from "@std/path/join";
import { joined } from "../../streams.ts";
import { joinSignals } from "../../time.ts";
import { failedRequest, failsFile, type Narrowed, narrowed, type Range } from "./failures.ts";
import type { InputFile } from "./inputs.ts";
import { OutputFile, type OutputPlace } from "./outputs.ts";
import { dataOf } from "./reading.ts";
import { answerTo, Processing, RequestFailure, send, type Sending } from "./requests.ts";
import type { FailedRequest, Results } from "./results.ts";

/** What a transform works with. */
export interface Work extends Sending {
  readonly limits: RequestLimits;
  readonly place: OutputPlace;
  /** A directory for results that are not whole yet. */
  readonly parts: string;
  readonly results: Results;
  /** Called after each answer. @param read bytes of the files, all in all. */
  readonly onProgress: (read: number) => void;
  /** Called with what is odd about a file, once it is done. */
  readonly onOdd: (file: InputFile, odd: Odd) => void;
}

export interface Odd extends OddLines {
  /** Records of a request, and lines in its answer, where they are not as many. */
  mismatch?: { readonly records: number; readonly lines: number };
}

/**
 * Transforms the files one after the other; the requests of the next begin before the last of one are
 * answered. A file that fails has no result, and the others go on.
 *
 * @throws the signal's reason.
 */
export async function transformFiles(files: readonly InputFile[], work: Work): Promise<void> {
  const over = new AbortController();
  using either = joinSignals(work.signal, over.signal);
  const line = new Line({ ...work, signal: either.signal });
  try {
    for (const file of files) await line.add(file);
    await line.finish();
  } finally {
    over.abort();
    await line.clear();
  }
}

/** A file on its way. */
class FileWork {
  failure: FailedRequest | undefined;
  readonly odd: Odd = {};
  readonly output: OutputFile;

  constructor(readonly file: InputFile, { place, parts }: Work, number: number) {
    this.output = new OutputFile(place, file.name, join(parts, String(number)));
  }

  fail(range: Range | undefined, error: unknown): void {
    this.failure ??= failedRequest(this.file.name, range, error);
  }
}

/** Requests that were sent, and the ends of files, in the order of the results. */
class Line {
  readonly #steps: { readonly of: FileWork; readonly finish: () => Promise<void> }[] = [];
  readonly #open = new Set<FileWork>();
  /** Requests that have their turn, and those that wait for it. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #begun = 0;
  #read = 0;
  readonly #processing: Processing | undefined;

  constructor(private readonly work: Work) {
    if (isProcessed(work.transform)) this.#processing = new Processing(work.transform);
  }

  async add(file: InputFile): Promise<void> {
    const { transform, limits, signal } = this.work;
    const of = new FileWork(file, this.work, this.#begun++);
    this.#open.add(of);
    const data = () => dataOf(file, transform, (bytes) => this.#read += bytes);
    const isWhole = transform.split === "none" || limits.strategy === "multi";
    const isStream = isWhole && limits.maxPayload === 0 && !this.#processing;
    try {
      if (isStream) {
        await this.#push(of, this.#inTurn(() => this.#pass(data, of)), () => Promise.resolve());
      } else {
        for await (const batch of this.#batches(data, of)) {
          signal.throwIfAborted();
          if (of.failure) break;
          const answer = this.#inTurn(() => this.#answer(batch, of));
          await this.#push(of, answer, (bytes) => of.output.write(bytes));
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!failsFile(error)) throw error;
      of.fail(undefined, error);
    }
    await this.#push(of, Promise.resolve(), () => this.#finishFile(of));
  }

  async finish(): Promise<void> {
    while (this.#steps.length > 0) await this.#settle();
  }

  /** Lets go of files that were not finished. */
  async clear(): Promise<void> {
    await Promise.allSettled(this.#running);
    for (const { output } of this.#open) output.close();
  }

  #batches(
    data: () => AsyncIterable<Uint8Array<ArrayBuffer>>,
    of: FileWork,
  ): AsyncIterable<Batch> {
    const { transform: { split, contentType }, limits: asked } = this.work;
    if (split === "none") return wholeFile(data(), asked);
    const isCsv = plainType(contentType) === "text/csv";
    // All records of a file at once would take too much memory.
    const isAny = asked.maxPayload === 0 && asked.strategy === "multi";
    const limits = isAny ? { ...asked, maxPayload: TRANSFORM.payload } : asked;
    return batchesOf(data(), { split, isCsv }, limits, of.odd);
  }

  /** Answers that wait for an earlier one are not more than those that are being made. */
  async #push<T>(of: FileWork, done: Promise<T>, use: (result: T) => Promise<void>): Promise<void> {
    done.catch(() => {});
    this.#steps.push({ of, finish: async () => await use(await done) });
    while (this.#steps.length > 2 * this.work.limits.maxConcurrency) await this.#settle();
  }

  async #settle(): Promise<void> {
    const { of, finish } = this.#steps.shift()!;
    try {
      await finish();
    } catch (error) {
      this.work.signal.throwIfAborted();
      if (!failsFile(error)) throw error;
      of.fail(undefined, error);
    }
    this.work.onProgress(this.#read);
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.#busy < this.work.limits.maxConcurrency) this.#busy++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const running = task();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }

  /** Sends a file of any size as it is read, and writes its answer as that comes. */
  async #pass(data: () => AsyncIterable<Uint8Array>, { file, output }: FileWork): Promise<void> {
    const start = performance.now();
    const isByLine = this.work.transform.split === "line";
    let records = 1;
    async function* counted() {
      records = isByLine ? 0 : 1;
      for await (const piece of data()) {
        if (isByLine) records += linesIn(piece);
        yield piece;
      }
    }
    await send(this.work, counted, async () => {
      await output.restart();
      return (piece) => output.write(piece);
    });
    this.#answered(file, { first: 1, records }, start);
  }

  async #answer(batch: Batch, of: FileWork): Promise<Uint8Array<ArrayBuffer>> {
    const { transform: { split, assemble }, signal } = this.work;
    if (of.failure) return new Uint8Array();
    const processing = this.#processing;
    const start = performance.now();
    const ask = async (bytes: Uint8Array<ArrayBuffer>, retries?: number) =>
      await answerTo(this.work, processing?.request(bytes) ?? bytes, retries);
    try {
      const answer = await ask(batch.bytes);
      this.#answered(of.file, batch, start);
      if (processing) return processing.result(batch.bytes, answer);
      if (assemble === "none") return answer;
      const lines = linesIn(answer);
      if (split === "line" && lines !== batch.records) {
        of.odd.mismatch ??= { records: batch.records, lines };
      }
      return answer.at(-1) === NEW_LINE ? answer : joined([answer, new Uint8Array([NEW_LINE])]);
    } catch (error) {
      signal.throwIfAborted();
      // Which of its lines is it?
      const isRefusal = error instanceof RequestFailure && error.status !== undefined;
      const isNarrowed = (isRefusal || error instanceof UnfitRecord) && split === "line";
      const failed: Narrowed = isNarrowed
        ? await narrowed(batch, error, (part) => ask(part, 0))
        : batch;
      of.fail(failed, failed.error ?? error);
      throw error;
    }
  }

  #answered({ name }: InputFile, { first, records }: Range, start: number): void {
    const { results, transform } = this.work;
    const ms = performance.now() - start;
    results.records += records;
    const isWhole = transform.split === "none";
    results.answered({ file: name, first: isWhole ? null : first, records, ms });
  }

  async #finishFile(of: FileWork): Promise<void> {
    const { file, output, odd } = of;
    const { results, onOdd } = this.work;
    if (of.failure === undefined) await output.keep().catch((error) => of.fail(undefined, error));
    output.close();
    this.#open.delete(of);
    results.files++;
    if (of.failure) {
      const note = await output.isThere() ? `; ${file.name}.out is of an earlier transform` : "";
      results.failedFile({ ...of.failure, reason: `${of.failure.reason}${note}` });
    }
    if (Object.keys(odd).length > 0) onOdd(file, odd);
  }
}

const NEW_LINE = 10;

/** A file as one request. */
export async function* wholeFile(
  data: AsyncIterable<Uint8Array<ArrayBuffer>>,
  limits: RequestLimits,
): AsyncGenerator<Batch, void, void> {
  const most = limits.maxPayload === 0 ? Infinity : limits.maxPayload * 1024 ** 2;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const piece of data) {
    pieces.push(piece);
    size += piece.length;
    if (size > most) throw tooLarge("The file", limits);
  }
  yield { bytes: joined(pieces), records: 1, first: 1 };
}
