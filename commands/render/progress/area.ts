/** Lines at the end of a terminal that are drawn again in their place. */

import { widthOf } from "../../../runtime/cells.ts";
import { type Output, overlaid } from "../../../runtime/streams.ts";

export interface AreaLine {
  /** Fits the terminal, and has no escape sequences. */
  readonly text: string;
  /** Colours the text; used where colour is wanted. */
  readonly paint?: ((text: string) => string) | undefined;
}

/**
 * Lines that replace those drawn before, each time in one write. The cursor rests at the beginning of
 * the last one, where the `^C` that the terminal echoes moves nothing; it is never hidden, so that
 * nothing has to show it again.
 */
export class Area implements Disposable {
  /** Widths of the lines on the screen. */
  #drawn: readonly number[] = [];

  constructor(private readonly err: Output) {}

  /** Whether lines can be drawn again at all. */
  get isLive(): boolean {
    return this.err.rows > 0;
  }

  draw(lines: readonly AreaLine[]): void {
    if (!this.isLive) return;
    if (lines.length === 0) return this.clear();
    const { colour, columns } = this.err;
    const above = this.#rowsAbove();
    const text = lines.map(({ text, paint }) => `${colour && paint ? paint(text) : text}\x1b[K`);
    const isMore = above >= lines.length || this.#drawn.some((width) => width > columns);
    const rest = isMore ? "\x1b[J" : "";
    this.err.print(`${home(above)}${text.join("\r\n")}${rest}\r`);
    this.#drawn = lines.map(({ text }) => widthOf(text));
  }

  clear(): void {
    if (this.#drawn.length === 0) return;
    const above = this.#rowsAbove();
    const isOne = above === 0 && this.#drawn[0]! <= this.err.columns;
    this.#drawn = [];
    this.err.print(home(above) + (isOne ? "\x1b[K" : "\x1b[J"));
  }

  /** The stream for what is printed above the lines: they are cleared first. */
  above(): Output {
    const err = this.err;
    return overlaid(err, {
      write: (bytes) => (this.clear(), err.write(bytes)),
      print: (text) => (this.clear(), err.print(text)),
    });
  }

  [Symbol.dispose](): void {
    this.clear();
  }

  /** How many rows of the screen lie above the last line. A terminal that got narrower wraps lines. */
  #rowsAbove(): number {
    const { columns } = this.err;
    return this.#drawn.slice(0, -1)
      .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  }
}

/** To the beginning of the first line. */
function home(above: number): string {
  return above === 0 ? "\r" : `\r\x1b[${above}A`;
}

/** In ms: an eye cannot follow quicker changes. */
const INTERVAL = 100;

/** Draws what `frame` returns, ten times a second at most, until disposed of. */
export class Live implements Disposable {
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #last = -Infinity;
  #isOver = false;

  constructor(private readonly area: Area, private readonly frame: () => readonly AreaLine[]) {
    if (area.isLive) this.#timer = setInterval(() => this.#tick(), INTERVAL);
  }

  /** Draws a change at once, or with the next turn of the timer. */
  changed(): void {
    if (performance.now() - this.#last >= INTERVAL) this.#draw();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.area.clear();
  }

  /** Whoever prints next reports that the terminal is gone: a timer cannot. */
  #tick(): void {
    try {
      this.#draw();
    } catch {
      clearInterval(this.#timer);
    }
  }

  #draw(): void {
    if (this.#isOver) return;
    this.#last = performance.now();
    this.area.draw(this.frame());
  }
}
