/** A line on a terminal that tells what is being done. */

import { fit } from "../../../runtime/cells.ts";
import type { Waiting } from "../../../runtime/local/jobs.ts";
import { type Output, overlaid } from "../../../runtime/streams.ts";
import { elapsedText } from "../format.ts";
import { Area, Live } from "./area.ts";

/** Work that takes less (ms) is done before anybody wonders. */
const SHOWN_AFTER = 500;

/** Shows one line at a time, and takes it away when it is disposed of. */
export class ProgressLine implements Disposable {
  readonly #err: Output;
  readonly #area: Area;

  constructor(err: Output) {
    this.#err = err;
    this.#area = new Area(err);
  }

  /** Replaces the line with this text, cut to the terminal's width. */
  show(text: string): void {
    this.#area.draw([{ text: fit(text, this.#err.columns - 1) }]);
  }

  clear(): void {
    this.#area.clear();
  }

  /** The stream for what is printed above the line: it is cleared first. */
  above(): Output {
    return this.#area.above();
  }

  /** Waits for `work`, and shows the text and the time if that takes noticeably long. */
  async during<T>(text: string | (() => string), work: Promise<T>): Promise<T> {
    const start = performance.now();
    using _live = new Live(this.#area, () => {
      const elapsed = performance.now() - start;
      if (elapsed < SHOWN_AFTER) return [];
      const words = typeof text === "string" ? text : text();
      return [{ text: fit(`${words} (${elapsedText(elapsed)})`, this.#err.columns - 1) }];
    });
    return await work;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

/** In ms: shorter work is not worth a line in a pipe; a busy machine takes a second for it. */
const SAID_AFTER = 10_000;

/**
 * Tells what takes long at the end of a run: on a terminal with its time, in a pipe once. The work goes
 * on if nobody can read that.
 */
export function waitingOn(err: Output): Waiting {
  const bestEffort = overlaid(err, {
    print(text) {
      try {
        err.print(text);
      } catch {
        // There is nowhere to say it.
      }
    },
  });
  return async (text, work) => {
    if (err.rows > 0) return await new ProgressLine(bestEffort).during(text, work);
    const timer = setTimeout(() => bestEffort.print(`${text()}\n`), SAID_AFTER);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
}
