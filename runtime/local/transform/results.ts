/** Statistics of a transform run: saved with the run, and printed at its end. */

import type { OddFile } from "../../contract/transform_warnings.ts";
import { counted } from "../../quantities.ts";
import { Latencies, threeDigits } from "../latencies.ts";
import type { FailedRequest, Range } from "./failures.ts";

interface SlowRequest {
  readonly file: string;
  readonly first: number | null;
  readonly records: number;
  readonly ms: number;
}

/** How many of each are kept. */
const SLOWEST = 5;
const MOST_FAILED = 100;

/** Counts while a transform goes on. */
export class Results {
  files = 0;
  failedFiles = 0;
  records = 0;
  /** Of the data that was answered. */
  bytes = 0;
  requests = 0;
  retries = 0;
  readonly failed: FailedRequest[] = [];
  /** What helps against the first failure that has a remedy of its own. */
  hint: string | undefined;
  /** Requests that are not answered yet. */
  readonly waiting = new Set<{ readonly file: string; readonly range?: Range }>();
  readonly odd: OddFile[] = [];
  readonly #began = performance.now();
  readonly #slowest: SlowRequest[] = [];
  readonly latencies = new Latencies();

  /** @param modelRun made the model; `undefined`: a person put it there. */
  constructor(private readonly modelRun?: string) {}

  /** Counts a request as waiting until the returned value is disposed. */
  wait(request: { readonly file: string; readonly range?: Range }): Disposable {
    this.waiting.add(request);
    return { [Symbol.dispose]: () => this.waiting.delete(request) };
  }

  /** A request that was answered, and of how many bytes. */
  answered(request: SlowRequest, bytes: number): void {
    this.requests++;
    this.records += request.records;
    this.bytes += bytes;
    this.latencies.add(request.ms);
    if (request.ms <= (this.#slowest[SLOWEST - 1]?.ms ?? 0)) return;
    this.#slowest.push({ ...request, ms: threeDigits(request.ms) });
    this.#slowest.sort((one, other) => other.ms - one.ms);
    this.#slowest.splice(SLOWEST);
  }

  /** A file that has no result. */
  failedFile(request: FailedRequest): void {
    this.failedFiles++;
    if (this.failed.length < MOST_FAILED) this.failed.push(request);
  }

  get seconds(): number {
    return threeDigits((performance.now() - this.#began) / 1_000);
  }

  get recordsPerSecond(): number {
    return threeDigits(this.records / Math.max(this.seconds, 0.001));
  }

  /** `2 files, 1,000 records in 3.2 s (312 records/s); responses took 5 ms (p50), 9 ms (p95), 12 ms (p99)` */
  get summary(): string {
    const { files, records, requests, retries, seconds, recordsPerSecond } = this;
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => `${this.latencies.within(part)} ms`);
    const times =
      ` (${recordsPerSecond} records/s); responses took ${p50} (p50), ${p95} (p95), ${p99} (p99)`;
    return `${counted(files, "file")}, ${counted(records, "record")} in ${seconds} s` +
      (requests === 0 ? "" : times) +
      (retries === 0 ? "" : `; ${counted(retries, "request")} retried`);
  }

  /** `transform` in a run's `job.json`. Times are in ms. */
  facts(): Readonly<Record<string, unknown>> {
    return {
      model_run: this.modelRun ?? null,
      files: this.files,
      failed_files: this.failedFiles,
      records: this.records,
      requests: this.requests,
      retries: this.retries,
      seconds: this.seconds,
      records_per_second: this.recordsPerSecond,
      latency_ms: this.latencies.percentiles,
      slowest: this.#slowest,
      failed: this.failed,
    };
  }
}
