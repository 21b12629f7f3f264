/**
 * Draws an area again while something goes on.
 *
 * @module
 */

import type { Area, AreaLine } from "./area.ts";

/** How often (ms) an eye can follow. */
const INTERVAL = 100;

/** Draws what `frame` returns, when that changes and ten times a second at most, until disposed of. */
export class Live implements Disposable {
  readonly #area: Area;
  readonly #frame: () => readonly AreaLine[];
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #last = -Infinity;
  #isOver = false;

  constructor(area: Area, frame: () => readonly AreaLine[]) {
    this.#area = area;
    this.#frame = frame;
    if (area.isLive) this.#timer = setInterval(() => this.#tick(), INTERVAL);
  }

  /** Something is different: draws it at once, or with the next turn. */
  changed(): void {
    if (performance.now() - this.#last >= INTERVAL) this.#draw();
  }

  /** Takes the area away. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#area.clear();
  }

  /** A terminal that is gone is noticed by who prints next: nobody hears of it from a timer. */
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
    this.#area.draw(this.#frame());
  }
}
