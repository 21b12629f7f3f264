/**
 * Lines at the end of a terminal that are drawn again in their place.
 *
 * @module
 */

import { type Output, overlaid } from "../../../runtime/streams.ts";
import { widthOf } from "./cells.ts";

/** A line of an area. */
export interface AreaLine {
  /** Fits the terminal, and has no escape sequences. */
  readonly text: string;
  /** Colours the text; used where colour is wanted. */
  readonly paint?: ((text: string) => string) | undefined;
}

/**
 * Lines below which the cursor never is: each draws over the lines before, in one write, and what is
 * printed `above` takes their place. The cursor is never hidden, so that nothing has to bring it back.
 */
export class Area implements Disposable {
  readonly #err: Output;
  /** Widths of the lines that are on the screen. */
  #drawn: readonly number[] = [];

  constructor(err: Output) {
    this.#err = err;
  }

  /** Whether lines can be drawn again at all. */
  get isLive(): boolean {
    return this.#err.rows > 0;
  }

  /** Replaces the lines. */
  draw(lines: readonly AreaLine[]): void {
    if (!this.isLive) return;
    if (lines.length === 0) return this.clear();
    const { colour } = this.#err;
    const above = this.#rowsAbove();
    const text = lines.map(({ text, paint }) => `${colour && paint ? paint(text) : text}\x1b[K`);
    const rest = above >= lines.length ? "\x1b[J" : "";
    this.#err.print(`${home(above)}${text.join("\r\n")}${rest}`);
    this.#drawn = lines.map(({ text }) => widthOf(text));
  }

  /** Takes the lines away, so that something else can be printed there. */
  clear(): void {
    if (this.#drawn.length === 0) return;
    const above = this.#rowsAbove();
    this.#drawn = [];
    this.#err.print(home(above) + (above === 0 ? "\x1b[K" : "\x1b[J"));
  }

  /** The same stream, for what is to stand above the lines. */
  above(): Output {
    const err = this.#err;
    return overlaid(err, {
      write: (bytes) => (this.clear(), err.write(bytes)),
      print: (text) => (this.clear(), err.print(text)),
    });
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  /**
   * How many rows of the screen lie above the cursor's, which is in the last line. A terminal that
   * has become narrower since has wrapped the lines.
   */
  #rowsAbove(): number {
    const { columns } = this.#err;
    const rows = this.#drawn.map((width) => Math.max(1, Math.ceil(width / columns)));
    return Math.max(0, rows.reduce((sum, row) => sum + row, 0) - 1);
  }
}

/** To the beginning of the first line. */
function home(above: number): string {
  return above === 0 ? "\r" : `\r\x1b[${above}A`;
}
