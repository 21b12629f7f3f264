/**
 * The states of a job, told as they change.
 *
 * @module
 */

import { inOneLine } from "../../text.ts";
import type { CloudJob } from "./job.ts";

/** Statuses in which the code writes no more: what it wrote is told before them. */
const AFTER_THE_CODE = new Set([
  "Uploading",
  "Completed",
  "Failed",
  "Stopped",
  "MaxRuntimeExceeded",
  "MaxWaitTimeExceeded",
]);

/** What has changed, a line each: `Starting: Launching requested ML instances`. */
export interface Changes {
  /** Up to where the code runs. */
  readonly beforeItsLog: readonly string[];
  readonly afterItsLog: readonly string[];
}

/** What of a job has been told. */
export class States {
  #steps = 0;
  /** The last step, in the words that were told. */
  #step = "";
  /** The last status that no step tells. */
  #status = "";

  /** What has changed since it was asked last. */
  changes(job: Pick<CloudJob, "status" | "secondaryStatus" | "transitions">): Changes {
    const lines: { readonly status: string; readonly line: string }[] = [];
    // The words about the last step that was told may be others by now.
    for (const { status, message } of job.transitions.slice(Math.max(0, this.#steps - 1))) {
      const line = message === "" ? status : `${status}: ${message}`;
      if (line !== this.#step) lines.push({ status, line });
      this.#step = line;
    }
    this.#steps = job.transitions.length;
    // Processing jobs have no steps, and some emulators make none of the end.
    const status = job.secondaryStatus ?? job.status;
    if (job.transitions.at(-1)?.status !== status && status !== this.#status) {
      lines.push({ status, line: status });
      this.#status = status;
    }
    const first = lines.findIndex((one) => AFTER_THE_CODE.has(one.status));
    const words = lines.map(({ line }) => inOneLine(line));
    const end = first === -1 ? words.length : first;
    return { beforeItsLog: words.slice(0, end), afterItsLog: words.slice(end) };
  }
}
