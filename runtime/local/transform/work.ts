/** Sends the records of all files to a server, several at once, and writes the answers in their order. */

import { join } from "@std/path/join";
import { TRANSFORM } from "../../contract/limits.ts";
import { isProcessed, type RequestLimits } from "../../contract/transform.ts";
import { UnfitRecord } from "../../contract/transform_filters.ts";
import { type Batch, batchesOf, linesIn, type OddLines } from "../../contract/transform_records.ts";
import { joined } from "../../streams.ts";
import { joinSignals } from "../../time.ts";
import {
  type FailedRequest,
  failedRequest,
  failsFile,
  narrowed,
  type Range,
  RequestFailure,
} from "./failures.ts";
import { dataOf, type InputFile } from "./inputs.ts";
import { OutputFile, type OutputPlace } from "./outputs.ts";
import { Processing, send, type Sending } from "./requests.ts";

/** What a transform works with. */
export interface Work extends Sending {
  readonly limits: RequestLimits;
  readonly place: OutputPlace;
  /** A directory for results that are not whole yet. */
  readonly parts: string;
  /** Called after each answer. */
  readonly onProgress: () => void;
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
  readonly odd: OddLines = {};
  readonly output: OutputFile;

  constructor(readonly file: InputFile, { place, parts, results }: Work) {
    this.output = new OutputFile(place, file.name, join(parts, String(results.odd.length)));
    results.odd.push({ name: file.shown, odd: this.odd });
  }

  fail(error: unknown, range?: Range): void {
    this.failure ??= failedRequest(this.file.name, error, range);
  }
}

/** Requests that were sent, and the ends of files, in the order of the results. */
class Line {
  readonly #steps: { readonly of: FileWork; readonly finish: () => Promise<void> }[] = [];
  readonly #open = new Set<FileWork>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #processing: Processing | undefined;

  constructor(private readonly work: Work) {
    if (isProcessed(work.transform)) this.#processing = new Processing(work.transform);
  }

  async add(file: InputFile): Promise<void> {
    const { transform: { split }, limits } = this.work;
    const of = new FileWork(file, this.work);
    this.#open.add(of);
    const isWhole = split === "none" || limits.strategy === "multi";
    const isStream = isWhole && limits.maxPayload === 0 && !this.#processing;
    await this.#orFail(of, async () => {
      if (isStream) return await this.#push(of, () => this.#pass(of), () => Promise.resolve());
      for await (const batch of this.#batches(of)) {
        if (of.failure) break;
        await this.#push(of, () => this.#answer(batch, of), (bytes) => of.output.write(bytes));
      }
    });
    await this.#push(of, () => Promise.resolve(), () => this.#finishFile(of));
  }

  async finish(): Promise<void> {
    while (this.#steps.length > 0) await this.#settle();
  }

  /** Lets go of files that were not finished. */
  async clear(): Promise<void> {
    await Promise.all(this.#running);
    for (const { output } of this.#open) output.close();
  }

  #batches({ file, odd }: FileWork): AsyncIterable<Batch> {
    const { transform, limits } = this.work;
    // All records of a file at once would take too much memory.
    const isAny = limits.maxPayload === 0 && limits.strategy === "multi" &&
      transform.split !== "none";
    const maxPayload = isAny ? TRANSFORM.payload : limits.maxPayload;
    return batchesOf(dataOf(file, transform), transform, { ...limits, maxPayload }, odd);
  }

  /**
   * Begins a task when it is its turn. Answers that wait for an earlier one are not more than those that
   * are being made.
   */
  async #push<T>(
    of: FileWork,
    task: () => Promise<T>,
    use: (result: T) => Promise<void>,
  ): Promise<void> {
    const { limits: { maxConcurrency }, signal } = this.work;
    while (this.#running.size >= maxConcurrency) await Promise.race(this.#running);
    signal.throwIfAborted();
    const done = task();
    const running: Promise<unknown> = done.catch(() => {}).then(() =>
      this.#running.delete(running)
    );
    this.#running.add(running);
    this.#steps.push({ of, finish: async () => await use(await done) });
    while (this.#steps.length > 2 * maxConcurrency) await this.#settle();
  }

  async #settle(): Promise<void> {
    const { of, finish } = this.#steps.shift()!;
    await this.#orFail(of, finish);
    this.work.onProgress();
  }

  /** An error fails the file alone, if it is of that kind. */
  async #orFail(of: FileWork, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.work.signal.throwIfAborted();
      if (!failsFile(error)) throw error;
      of.fail(error);
    }
  }

  /** Sends a file of any size as it is read, and writes its answer as that comes. */
  async #pass({ file, output }: FileWork): Promise<void> {
    const { transform } = this.work;
    const start = performance.now();
    const isByLine = transform.split === "line";
    let [records, bytes] = [1, 0];
    async function* counted() {
      [records, bytes] = [isByLine ? 0 : 1, 0];
      for await (const piece of dataOf(file, transform)) {
        if (isByLine) records += linesIn(piece);
        bytes += piece.length;
        yield piece;
      }
    }
    await send(this.work, counted, async (answer) => {
      await output.restart();
      for await (const piece of answer) await output.write(piece);
    });
    this.#answered(file, { first: 1, records }, bytes, start);
  }

  async #answer(batch: Batch, of: FileWork): Promise<Uint8Array<ArrayBuffer>> {
    const { transform: { split, assemble }, signal } = this.work;
    const processing = this.#processing;
    const start = performance.now();
    const ask = async (bytes: Uint8Array<ArrayBuffer>, retries?: number) => {
      const body = [processing?.request(bytes) ?? bytes];
      const read = async (answer: AsyncIterable<Uint8Array>) =>
        joined(await Array.fromAsync(answer));
      return await send(this.work, () => body, read, retries);
    };
    try {
      const answer = await ask(batch.bytes);
      this.#answered(of.file, batch, batch.bytes.length, start);
      if (processing) return processing.result(batch.bytes, answer);
      if (assemble === "none") return answer;
      if (split === "line" && linesIn(answer) !== batch.records) of.odd.unanswered ??= batch.first;
      return answer.at(-1) === NEW_LINE ? answer : joined([answer, new Uint8Array([NEW_LINE])]);
    } catch (error) {
      signal.throwIfAborted();
      // Which of its lines is it?
      const isRefusal = error instanceof RequestFailure && error.status !== undefined;
      const isNarrowed = (isRefusal || error instanceof UnfitRecord) && split === "line";
      const [range, last] = isNarrowed
        ? await narrowed(batch, error, (part) => ask(part, 0))
        : [batch, error];
      of.fail(last, range);
      throw error;
    }
  }

  #answered({ name }: InputFile, { first, records }: Range, bytes: number, start: number): void {
    const { results, transform } = this.work;
    const ms = performance.now() - start;
    results.records += records;
    results.bytes += bytes;
    const isWhole = transform.split === "none";
    results.answered({ file: name, first: isWhole ? null : first, records, ms });
  }

  async #finishFile(of: FileWork): Promise<void> {
    const { file, output } = of;
    const { results } = this.work;
    if (of.failure === undefined) await output.keep().catch((error) => of.fail(error));
    output.close();
    this.#open.delete(of);
    results.files++;
    if (of.failure === undefined) return;
    const note = await output.isThere() ? `; ${file.name}.out is of an earlier transform` : "";
    results.failedFile({ ...of.failure, reason: `${of.failure.reason}${note}` });
  }
}

const NEW_LINE = 10;
