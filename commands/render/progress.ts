/**
 * A line that says what is being done, on a terminal only.
 *
 * @module
 */

import type { Output } from "../../runtime/streams.ts";

/** What takes less (ms) needs no sign of life. */
const PATIENCE = 500;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_INTERVAL = 100;

/** Shows one line at a time. Dispose of it to have the line gone. */
export class ProgressLine implements Disposable {
  readonly #err: Output;
  #shown = false;

  constructor(err: Output) {
    this.#err = err;
  }

  /** Puts the text in place of the one before, cut to the terminal's width. */
  show(text: string): void {
    if (!this.#err.isTerminal) return;
    this.#shown = true;
    this.#err.print(`\r${text.slice(0, this.#err.columns - 1)}\x1b[K`);
  }

  /** Takes the line away, so that something else can be printed in its place. */
  clear(): void {
    if (!this.#shown) return;
    this.#shown = false;
    this.#err.print("\r\x1b[K");
  }

  /** Waits for `work`; when that takes noticeably long, a sign beside the text turns meanwhile. */
  async during<T>(text: string, work: Promise<T>): Promise<T> {
    const start = performance.now();
    const turn = (): void => {
      const elapsed = performance.now() - start;
      if (elapsed < PATIENCE) return;
      const frame = FRAMES[Math.floor(elapsed / FRAME_INTERVAL) % FRAMES.length];
      this.show(`${frame} ${text} (${Math.floor(elapsed / 1000)} s)`);
    };
    const timer = this.#err.isTerminal ? setInterval(turn, FRAME_INTERVAL) : undefined;
    try {
      return await work;
    } finally {
      clearInterval(timer);
      this.clear();
    }
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
