/**
 * What a step of a build writes, line by line.
 *
 * @module
 */

/** How much of a step is kept, in characters. BuildKit itself ends at two million. */
const KEPT = 8_000_000;

/** A line that is longer, in characters, is cut into several. */
const LONGEST = 64_000;

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
    this.#open = latest(open) + (open.endsWith("\r") ? "\r" : "");
    if (this.#open.length > LONGEST) {
      lines.push(this.#open);
      this.#open = "";
    }
    const ended = lines.map(latest);
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
    const open = latest(this.#open);
    if (open.trim() !== "") found.push(open);
    for (let index = this.#lines.length - 1; index >= 0 && found.length < count; index--) {
      const line = this.#lines[index]!;
      if (line.trim() !== "") found.push(line);
    }
    return found.slice(0, count).reverse();
  }

  /** All of it, as far as it is kept. */
  whole(): readonly string[] {
    const dropped = this.#dropped === 0 ? [] : [`(${this.#dropped} lines before these)`];
    const open = latest(this.#open);
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

/** What is left to see of a line after the returns in it. */
function latest(line: string): string {
  let end = line.length;
  // What comes behind a return replaces what is before it; a return at the end, nothing yet.
  while (line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}
