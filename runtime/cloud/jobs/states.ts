/**
 * The states of a job, told as they change.
 *
 * @module
 */

import { inOneLine } from "../../text.ts";
import type { CloudJob } from "./job.ts";

/** What of a job has been told. */
export class States {
  #steps = 0;
  /** The last step, in the words that were told. */
  #step = "";
  /** The last status that no step tells. */
  #status = "";

  /** The lines that say what has changed: `Starting: Launching requested ML instances`. */
  changes(job: Pick<CloudJob, "status" | "secondaryStatus" | "transitions">): string[] {
    const lines: string[] = [];
    // The words about the last step that was told may be others by now.
    for (const { status, message } of job.transitions.slice(Math.max(0, this.#steps - 1))) {
      const line = message === "" ? status : `${status}: ${message}`;
      if (line !== this.#step) lines.push(line);
      this.#step = line;
    }
    this.#steps = job.transitions.length;
    // Processing jobs have no steps, and some emulators make none of the end.
    const status = job.secondaryStatus ?? job.status;
    if (job.transitions.at(-1)?.status !== status && status !== this.#status) {
      lines.push(status);
      this.#status = status;
    }
    return lines.map(inOneLine);
  }
}
