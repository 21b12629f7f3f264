/**
 * What a step of a build writes, line by line.
 *
 * @module
 */

import { afterReturns, terminalText } from "../../../../runtime/text.ts";

/** How much of a step is kept, in characters. BuildKit itself ends at two million. */
const KEPT = 8_000_000;

/** A line that is longer, in characters, is cut into several. */
const LONGEST = 64_000;

/** Among so many lines the last ones that are not empty are looked for, ten times a second. */
const RECENT = 100;

/** The output of one step. A line that a tool writes again and again counts in its latest state. */
export class StepLog {
  #lines: string[] = [];
  #length = 0;
  #dropped = 0;
  /** The line that is not at its end yet. */
  #open = "";

  /** Takes a piece in, and returns the lines that it ends. */
  add(text: string): readonly string[] {
    const lines = (this.#open + text).split("\n");
    const open = lines.pop()!;
    this.#open = afterReturns(open) + (open.endsWith("\r") ? "\r" : "");
    if (this.#open.length > LONGEST) {
      lines.push(this.#open);
      this.#open = "";
    }
    const ended = lines.map(terminalText);
    for (const line of ended) this.#length += line.length + 1;
    this.#lines.push(...ended);
    if (this.#length > 2 * KEPT) this.#forget();
    return ended;
  }

  /** The line that did not end, if there is one; from now on it has. */
  end(): readonly string[] {
    return this.#open === "" ? [] : this.add("\n");
  }

  /** The last lines, the one that has not ended included; empty ones say nothing. */
  tail(count: number): readonly string[] {
    const found: string[] = [];
    const open = terminalText(this.#open);
    if (open.trim() !== "") found.push(open);
    const recent = this.#lines.slice(-RECENT);
    while (recent.length > 0 && found.length < count) {
      const line = recent.pop()!;
      if (line.trim() !== "") found.push(line);
    }
    return found.slice(0, count).reverse();
  }

  /** All of it, as far as it is kept. */
  whole(): readonly string[] {
    const dropped = this.#dropped === 0 ? [] : [`(${this.#dropped} lines before these)`];
    const open = terminalText(this.#open);
    return [...dropped, ...this.#lines, ...open === "" ? [] : [open]];
  }

  #forget(): void {
    let start = 0;
    for (; this.#length > KEPT && start < this.#lines.length; start++) {
      this.#length -= this.#lines[start]!.length + 1;
    }
    this.#dropped += start;
    this.#lines = this.#lines.slice(start);
  }
}
