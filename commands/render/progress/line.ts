/**
 * A line that says what is being done, on a terminal only.
 *
 * @module
 */

import type { Output } from "../../../runtime/streams.ts";
import { elapsedText } from "../duration.ts";
import { Area } from "./area.ts";
import { fit } from "../../../runtime/cells.ts";
import { Live } from "./live.ts";

/** Work that takes less (ms) is done before anybody wonders. */
const PATIENCE = 500;

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

  /** Takes the line away, so that something else can be printed there. */
  clear(): void {
    this.#area.clear();
  }

  /** The same stream, for what is to stand above the line. */
  above(): Output {
    return this.#area.above();
  }

  /** Waits for `work`; while that takes noticeably long, shows the text and how long it has been. */
  async during<T>(text: string | (() => string), work: Promise<T>): Promise<T> {
    const start = performance.now();
    using _live = new Live(this.#area, () => {
      const elapsed = performance.now() - start;
      if (elapsed < PATIENCE) return [];
      const words = typeof text === "string" ? text : text();
      return [{ text: fit(`${words} (${elapsedText(elapsed)})`, this.#err.columns - 1) }];
    });
    return await work;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
