/** How many requests were passed on to a server, and how long their answers took. */

import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import {
  LARGEST_TEXT,
  lstatIfThere,
  readTextFile,
  removeIfThere,
  replacePrivately,
} from "../../files.ts";
import { makeJobs, removeEmptyJobs } from "../../model/runs.ts";
import type { Requests } from "../../page/api.ts";
import { jsonObject } from "../../text.ts";
import { Latencies } from "../latencies.ts";

export class Traffic {
  readonly #latencies = new Latencies();
  #requests = 0;
  #failed = 0;

  /** @param status `undefined`: there was no answer. */
  add(status: number | undefined, ms: number): void {
    this.#requests++;
    if (status === undefined || status < 200 || status > 299) this.#failed++;
    if (status !== undefined) this.#latencies.add(ms);
  }

  get facts(): Requests {
    return { requests: this.#requests, failed: this.#failed, ...this.#latencies.percentiles };
  }
}

/** How long (ms) after a request it is written down. */
const KEPT_AFTER = 1_000;

/** The same of `local deploy --watch`, written down for the page while that goes on. */
export class KeptTraffic extends Traffic implements AsyncDisposable {
  readonly #path: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly layout: Paths, port: number) {
    super();
    this.#path = pathOf(layout, port);
  }

  override add(status: number | undefined, ms: number): void {
    super.add(status, ms);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // Without it, the page shows less.
      this.#writing = this.#writing.then(() => this.#write()).catch(() => {});
    }, KEPT_AFTER);
  }

  async #write(): Promise<void> {
    await makeJobs(this.layout);
    await replacePrivately(this.#path, JSON.stringify(this.facts));
  }

  /** Removes what a watch has left that was killed. */
  async forget(): Promise<void> {
    await removeIfThere(this.#path).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await this.forget();
    await removeEmptyJobs(this.layout);
  }
}

/** What `local deploy --watch` counted on a port; `null` where that is not known. A file may hold anything. */
export async function keptTraffic(layout: Paths, port: number): Promise<Requests | null> {
  const path = pathOf(layout, port);
  const isThere = (await lstatIfThere(path).catch(() => undefined))?.isFile;
  const text = isThere ? await readTextFile(path, LARGEST_TEXT).catch(() => "") : "";
  const { requests, failed, p50, p95, p99 } = jsonObject(text) ?? {};
  const facts = { requests, failed, p50, p95, p99 };
  return Object.values(facts).every((one) => Number.isFinite(one) && Number(one) >= 0)
    ? facts as Requests
    : null;
}

function pathOf({ jobs }: Pick<Paths, "jobs">, port: number): string {
  return join(jobs, `.requests-${port}.json`);
}
