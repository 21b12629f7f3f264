/**
 * Says what takes long at the end of a run: on a terminal with the time that it has taken, which goes
 * when it is done; in a pipe once.
 *
 * @module
 */

import type { Waiting } from "../../../runtime/local/jobs.ts";
import { type Output, overlaid } from "../../../runtime/streams.ts";
import { ProgressLine } from "./line.ts";

/** What takes less (ms) is not worth a line in a pipe, where nobody waits; a busy machine takes a second. */
const PATIENCE = 10_000;

/** Shows it on a stream. Where nobody reads, the work matters still, and nothing fails. */
export function waitingOn(err: Output): Waiting {
  const forgiving = overlaid(err, {
    print(text) {
      try {
        err.print(text);
      } catch {
        // There is nowhere to say it.
      }
    },
  });
  return async (text, work) => {
    if (err.rows > 0) return await new ProgressLine(forgiving).during(text, work);
    const timer = setTimeout(() => forgiving.print(`${text()}\n`), PATIENCE);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
}
