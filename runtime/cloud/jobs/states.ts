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
  #last = "";

  /** The lines that say what has changed: `Starting: Launching requested ML instances`. */
  changes(job: Pick<CloudJob, "status" | "secondaryStatus" | "transitions">): string[] {
    const { transitions } = job;
    if (transitions.length === 0) return this.#changed(job.secondaryStatus ?? job.status);
    // The words about the last step that was told may be others by now.
    const lines = transitions.slice(Math.max(0, this.#steps - 1)).flatMap(({ status, message }) =>
      this.#changed(message === "" ? status : `${status}: ${message}`)
    );
    this.#steps = transitions.length;
    return lines;
  }

  #changed(line: string): string[] {
    if (line === this.#last) return [];
    this.#last = line;
    return [inOneLine(line)];
  }
}
