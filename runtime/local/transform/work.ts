/** Sends the records of all files to a server, several at once, and writes the answers in their order. */

import { join } from "@std/path/join";
import { isProcessed, type RequestLimits, type Transform } from "../../contract/transform.ts";
import { UnfitRecord } from "../../contract/transform_filters.ts";
import {
  type Batch,
  batchesOf,
  LineCount,
  NEW_LINE,
  type OddLines,
} from "../../contract/transform_records.ts";
import { TRANSFORM } from "../../contract/limits.ts";
import { MlcliError } from "../../errors.ts";
import { isFile } from "../../files.ts";
import { joined, writeAll } from "../../streams.ts";
import { pause } from "../../time.ts";

import {
  type FailedRequest,
  failedRequest,
  failsFile,
  narrowed,
  type Range,
  RequestFailure,
} from "./failures.ts";
import { dataOf, type InputFile } from "./inputs.ts";
import { keep, type OutputPlace } from "./outputs.ts";
import { Processing, send, type Sending } from "./requests.ts";
import { type WaitingResponse, WaitingResponses } from "./responses.ts";

/** What a transform works with. */
export interface FilesWork extends Sending {
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
export async function transformFiles(files: readonly InputFile[], work: FilesWork): Promise<void> {
  using open = new DisposableStack();
  const responses = new WaitingResponses(work.parts);
  async function* steps(): AsyncGenerator<Step, void, void> {
    for (const file of files) yield* new FileWork(file, work, responses, open).steps();
  }
  const { transform, limits } = work;
  // Such a request is held in memory whole, so mlcli sends one at a time.
  const isAnySize = limits.maxPayload === 0 && !isPassedOn(transform, limits);
  for await (const finish of inOrder(steps(), isAnySize ? 1 : limits.maxConcurrency)) {
    await finish();
    work.onProgress();
  }
}

/** A request, or the end of a file. What it returns is called in the order of the steps. */
type Step = () => Promise<() => Promise<void>>;

/**
 * Runs tasks, so many at once, and yields their results in order. Those that wait for an earlier one
 * are not more than the tasks that run.
 */
async function* inOrder<T>(
  tasks: AsyncIterable<() => Promise<T>>,
  most: number,
): AsyncGenerator<T, void, void> {
  const begun: Promise<T>[] = [];
  const running = new Set<Promise<unknown>>();
  try {
    for await (const task of tasks) {
      while (running.size >= most) await Promise.race(running);
      const done = task();
      begun.push(done);
      const end: Promise<unknown> = done.catch(() => {}).then(() => running.delete(end));
      running.add(end);
      while (begun.length > 2 * most) yield await begun.shift()!;
    }
    while (begun.length > 0) yield await begun.shift()!;
  } finally {
    await Promise.all(running);
  }
}

/** Whether a file is one request of any size, passed on as it is read. */
export function isPassedOn(transform: Transform, limits: RequestLimits): boolean {
  const isWhole = transform.split === "none" || limits.strategy === "multi";
  return isWhole && limits.maxPayload === 0 && !isProcessed(transform);
}

/** A file on its way. */
class FileWork {
  #failure: FailedRequest | undefined;
  /** Whether a request has failed. `#failBatch` reports it later, in order. */
  #isFailing = false;
  readonly #odd: OddLines = {};
  /** Where its result is until it is whole: in the directory of the run, which goes with it. */
  readonly #part: string;
  #output: Deno.FsFile | undefined;
  readonly #processing: Processing | undefined;

  /** @param open closes what is not finished. */
  constructor(
    private readonly file: InputFile,
    private readonly work: FilesWork,
    private readonly responses: WaitingResponses,
    private readonly open: DisposableStack,
  ) {
    const { parts, results, transform } = work;
    this.#part = join(parts, String(results.odd.length));
    results.odd.push({ name: file.shown, odd: this.#odd });
    if (isProcessed(transform)) this.#processing = new Processing(transform);
  }

  async *steps(): AsyncGenerator<Step, void, void> {
    const { transform, limits, signal } = this.work;
    try {
      this.#output = this.open.use(await Deno.open(this.#part, { write: true, createNew: true }));
      if (isPassedOn(transform, limits)) yield () => this.#pass();
      else {
        for await (const batch of this.#batches()) {
          signal.throwIfAborted();
          if (this.#failure || this.#isFailing) break;
          yield () => this.#answer(batch);
        }
      }
    } catch (error) {
      this.#fail(error);
    }
    yield () => Promise.resolve(() => this.#finish());
  }

  /** @throws what fails more than this file. */
  #fail(error: unknown, range?: Range): void {
    this.work.signal.throwIfAborted();
    if (!failsFile(error)) throw error;
    this.#failure ??= failedRequest(this.file.name, error, range);
    if (error instanceof MlcliError) this.work.results.hint ??= error.hint;
  }

  #batches(): AsyncIterable<Batch> {
    const { transform, limits } = this.work;
    return batchesOf(dataOf(this.file, transform), transform, limits, this.#odd);
  }

  /** Sends a file of any size as it is read, and writes its answer as that comes. */
  async #pass(): Promise<() => Promise<void>> {
    const { file, work } = this;
    const start = performance.now();
    const isByLine = work.transform.split === "line";
    let [count, bytes] = [new LineCount(), 0];
    async function* counted() {
      [count, bytes] = [new LineCount(), 0];
      for await (const piece of dataOf(file, work.transform)) {
        if (isByLine) count.add(piece);
        bytes += piece.length;
        yield piece;
      }
    }
    using _waiting = work.results.wait({ file: file.name });
    try {
      await send(
        work,
        counted,
        (answer) => Deno.writeFile(this.#part, ReadableStream.from(answer)),
      );
      this.#answered({ first: 1, records: isByLine ? count.lines : 1 }, bytes, start);
    } catch (error) {
      await this.#lookAtServer(error);
      this.#fail(error);
    }
    return () => Promise.resolve();
  }

  async #answer(batch: Batch): Promise<() => Promise<void>> {
    const start = performance.now();
    using _waiting = this.work.results.wait({ file: this.file.name, range: batch });
    try {
      const response = await this.#ask(batch.bytes);
      this.#answered(batch, batch.bytes.length, start);
      return () => this.#take(batch, response);
    } catch (error) {
      await this.#lookAtServer(error);
      this.#isFailing = true;
      return () => this.#failBatch(batch, error);
    }
  }

  async #ask(bytes: Uint8Array<ArrayBuffer>, retries?: number): Promise<WaitingResponse> {
    const body = [this.#processing?.request(bytes) ?? bytes];
    const most = this.#processing ? TRANSFORM.payload : LARGEST_ANSWER;
    const receive = (content: AsyncIterable<Uint8Array>) => this.responses.receive(content, most);
    return await send(this.work, () => body, receive, retries);
  }

  async #whole(response: WaitingResponse): Promise<Uint8Array<ArrayBuffer>> {
    return joined(await Array.fromAsync(this.responses.read(response)));
  }

  /** Finds the line that a request fails for. Runs in order, so that only one response is in memory. */
  async #failBatch(batch: Batch, error: unknown): Promise<void> {
    if (this.#failure) return;
    const { results, transform: { split } } = this.work;
    using _waiting = results.wait({ file: this.file.name, range: batch });
    const isRefusal = error instanceof RequestFailure && error.status !== undefined;
    const isNarrowed = (isRefusal || error instanceof UnfitRecord) && split === "line";
    const [range, last] = isNarrowed
      ? await narrowed(batch, error, async (part) => {
        const answer = await this.#whole(await this.#ask(part, 0));
        await this.#processing?.result(part, answer, this.work.signal);
      })
      : [batch, error];
    await this.#lookAtServer(last);
    this.#fail(last, range);
  }

  /** Where a connection broke, the server may have ended, which is known soon. @throws that. */
  async #lookAtServer(error: unknown): Promise<void> {
    const { signal } = this.work;
    const isBroken = error instanceof RequestFailure && error.status === undefined;
    if (isBroken) await pause(END_LAG, signal).catch(() => {});
    signal.throwIfAborted();
  }

  #answered({ first, records }: Range, bytes: number, start: number): void {
    const { results, transform } = this.work;
    const ms = performance.now() - start;
    const isWhole = transform.split === "none";
    results.answered({ file: this.file.name, first: isWhole ? null : first, records, ms }, bytes);
  }

  /** Writes what becomes of an answer. */
  async #take(batch: Batch, response: WaitingResponse): Promise<void> {
    if (this.#failure) return await this.responses.drop(response);
    const { split, assemble } = this.work.transform;
    const output = this.#output!;
    try {
      if (this.#processing) {
        const whole = await this.#whole(response);
        const result = await this.#processing.result(batch.bytes, whole, this.work.signal);
        return await writeAll(output, result);
      }
      const count = new LineCount();
      for await (const piece of this.responses.read(response)) {
        await writeAll(output, piece);
        count.add(piece);
      }
      if (assemble === "none") return;
      if (split === "line" && count.lines !== batch.records) this.#odd.unanswered ??= batch.first;
      if (!count.isEnded) await writeAll(output, new Uint8Array([NEW_LINE]));
    } catch (error) {
      await (error instanceof UnfitRecord ? this.#failBatch(batch, error) : this.#fail(error));
    }
  }

  async #finish(): Promise<void> {
    const { file: { name }, work: { place, results } } = this;
    const output = join(place.path, `${name}.out`);
    this.#output?.close();
    if (!this.#failure) await keep(this.#part, output, place).catch((error) => this.#fail(error));
    results.files++;
    if (this.#failure === undefined) return;
    const note = await isFile(output) ? `; ${name}.out is from an earlier batch transform` : "";
    results.failedFile({ ...this.#failure, reason: `${this.#failure.reason}${note}` });
  }
}

/** So long after its last connection broke, a server is known to have ended, in ms. */
const END_LAG = 1_000;

/** The largest response, in MB. Filters and joins read it into memory: for them, it is `TRANSFORM.payload`. */
const LARGEST_ANSWER = 256;
