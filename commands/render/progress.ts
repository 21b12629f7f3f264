/**
 * A line that says what is being done, on a terminal only.
 *
 * @module
 */

import { type Output, overlaid } from "../../runtime/streams.ts";

/** Work that takes less (ms) is done before anybody wonders. */
const PATIENCE = 500;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_INTERVAL = 100;

/** Shows one line at a time, and takes it away when it is disposed of. */
export class ProgressLine implements Disposable {
  readonly #err: Output;
  #shown = false;

  constructor(err: Output) {
    this.#err = err;
  }

  /** Replaces the line with this text, cut to the terminal's width. */
  show(text: string): void {
    if (!this.#err.isTerminal) return;
    this.#shown = true;
    this.#err.print(`\r${text.slice(0, this.#err.columns - 1)}\x1b[K`);
  }

  /** Takes the line away, so that something else can be printed there. */
  clear(): void {
    if (!this.#shown) return;
    this.#shown = false;
    this.#err.print("\r\x1b[K");
  }

  /** The same stream, for what is to stand above the line. */
  above(): Output {
    const err = this.#err;
    return overlaid(err, {
      write: (bytes) => (this.clear(), err.write(bytes)),
      print: (text) => (this.clear(), err.print(text)),
    });
  }

  /** Waits for `work`; while that takes noticeably long, shows the text and how long it has been. */
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

/** The same function, called as often as an eye can follow, the first time included. */
export function often<Values extends readonly unknown[]>(
  show: (...values: Values) => void,
): (...values: Values) => void {
  let last = -Infinity;
  return (...values) => {
    const now = performance.now();
    if (now - last < FRAME_INTERVAL) return;
    last = now;
    show(...values);
  };
}
