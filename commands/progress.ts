/**
 * A line that says what is being done, on a terminal only.
 *
 * @module
 */

import type { Output } from "../runtime/context.ts";

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

  [Symbol.dispose](): void {
    this.clear();
  }
}
