/** What a transform did, in numbers: kept with its run, and shown at its end. */

import type { OddFile } from "../../contract/transform_warnings.ts";
import type { FailedRequest } from "./failures.ts";

/** `transform` in a run's `job.json`. Times are in ms. */
export interface TransformFacts {
  readonly files: number;
  readonly failed_files: number;
  readonly records: number;
  readonly requests: number;
  readonly retries: number;
  readonly seconds: number;
  readonly records_per_second: number;
  readonly latency_ms: { readonly p50: number; readonly p95: number; readonly p99: number };
  readonly slowest: readonly SlowRequest[];
  readonly failed: readonly FailedRequest[];
}

export interface SlowRequest {
  readonly file: string;
  readonly first: number | null;
  readonly records: number;
  readonly ms: number;
}

/** How many of each are kept. */
const SLOWEST = 5;
const MOST_FAILED = 100;

/** Each step of the histogram of latencies is so many times the one before: within one percent. */
const STEP = Math.log(1.02);

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
  readonly odd: OddFile[] = [];
  readonly #began = performance.now();
  readonly #slowest: SlowRequest[] = [];
  readonly #latencies = new Map<number, number>();

  /** A request that was answered. */
  answered(request: SlowRequest): void {
    this.requests++;
    const step = Math.round(Math.log(Math.max(0.01, request.ms)) / STEP);
    this.#latencies.set(step, (this.#latencies.get(step) ?? 0) + 1);
    if (request.ms <= (this.#slowest[SLOWEST - 1]?.ms ?? 0)) return;
    this.#slowest.push({ ...request, ms: rounded(request.ms) });
    this.#slowest.sort((one, other) => other.ms - one.ms);
    this.#slowest.splice(SLOWEST);
  }

  /** A file that has no result. */
  failedFile(request: FailedRequest): void {
    this.failedFiles++;
    if (this.failed.length < MOST_FAILED) this.failed.push(request);
  }

  facts(): TransformFacts {
    const seconds = (performance.now() - this.#began) / 1_000;
    return {
      files: this.files,
      failed_files: this.failedFiles,
      records: this.records,
      requests: this.requests,
      retries: this.retries,
      seconds: rounded(seconds),
      records_per_second: rounded(this.records / Math.max(seconds, 0.001)),
      latency_ms: { p50: this.#latency(0.5), p95: this.#latency(0.95), p99: this.#latency(0.99) },
      slowest: this.#slowest,
      failed: this.failed,
    };
  }

  /** The time within which such a part of the requests was answered; 0 where none was. */
  #latency(part: number): number {
    const steps = [...this.#latencies].sort(([one], [other]) => one - other);
    let left = part * this.requests;
    for (const [step, count] of steps) {
      left -= count;
      if (left <= 0) return rounded(Math.exp(step * STEP));
    }
    return 0;
  }
}

/** To three digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
