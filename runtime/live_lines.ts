/** Lines at the bottom of the terminal that are redrawn in their place. */

import { widthOf } from "./cells.ts";
import type { LinesBelow, Messages } from "./messages.ts";

export interface LiveLine {
  /** Fits the terminal, and has no escape sequences. */
  readonly text: string;
  /** Colours the text, if colour is wanted. */
  readonly paint?: ((text: string) => string) | undefined;
}

/** Size of the part of the terminal that lines can use. */
export interface Room {
  /** In cells. The last column stays free, because some terminals wrap after it. */
  readonly columns: number;
  readonly rows: number;
}

/** Returns the lines to show now; none: nothing is shown. */
export type Frame = (room: Room) => readonly LiveLine[];

/** In ms: an eye cannot follow quicker changes. */
const INTERVAL = 100;

/**
 * Draws the lines of a frame, ten times a second at most, until it is disposed of. Each frame replaces the
 * one before in one write. The cursor rests at the beginning of the last line, where the `^C` that the
 * terminal echoes moves nothing. The cursor is never hidden, so that nothing has to show it again.
 */
export class LiveLines implements LinesBelow {
  readonly #timer: ReturnType<typeof setInterval>;
  /** Widths of the lines on the screen. */
  #drawn: readonly number[] = [];
  /** Identifies the frame on the screen. */
  #key = "";
  #last = -Infinity;
  #isOver = false;

  constructor(private readonly messages: Messages, private readonly frame: Frame) {
    this.#timer = setInterval(() => this.#tick(), INTERVAL);
  }

  /** Whether it was disposed of. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Draws a change at once, or at the next turn of the timer. */
  changed(): void {
    if (performance.now() - this.#last >= INTERVAL) this.draw();
  }

  draw(): void {
    if (this.#isOver || !this.messages.hasRoomBelow) return;
    this.#last = performance.now();
    const { err } = this.messages;
    const { colour, columns, rows } = err;
    const lines = this.frame({ columns: columns - 1, rows: Math.max(1, rows - 1) });
    if (lines.length === 0) return this.clear();
    const text = lines.map(({ text, paint }) => `${colour && paint ? paint(text) : text}\x1b[K`);
    const key = JSON.stringify([columns, text]);
    if (this.#drawn.length > 0 && key === this.#key) return;
    this.#key = key;
    const above = this.#rowsAbove();
    const isMore = above >= lines.length || this.#drawn.some((width) => width > columns);
    const rest = isMore ? "\x1b[J" : "";
    err.print(`${home(above)}${text.join("\r\n")}${rest}\r`);
    this.#drawn = lines.map(({ text }) => widthOf(text));
  }

  clear(): void {
    if (this.#drawn.length === 0) return;
    const above = this.#rowsAbove();
    const { err } = this.messages;
    const isOne = above === 0 && this.#drawn[0]! <= err.columns;
    this.#drawn = [];
    err.print(home(above) + (isOne ? "\x1b[K" : "\x1b[J"));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.clear();
  }

  /** The next message reports that the terminal is gone: a timer cannot. */
  #tick(): void {
    try {
      this.draw();
    } catch {
      clearInterval(this.#timer);
    }
  }

  /** Returns how many rows of the screen lie above the last line. A narrowed terminal wraps lines. */
  #rowsAbove(): number {
    const { columns } = this.messages.err;
    return this.#drawn.slice(0, -1)
      .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  }
}

/** Returns the escape sequence that moves the cursor to the beginning of the first line. */
function home(above: number): string {
  return above === 0 ? "\r" : `\r\x1b[${above}A`;
}

/** Shows the lines of a frame below the messages, in place of others. `undefined`: nothing is shown live. */
export function showLive(messages: Messages, frame: Frame): LiveLines | undefined {
  const lines = messages.isLive ? new LiveLines(messages, frame) : undefined;
  messages.showBelow(lines);
  return lines;
}
