/**
 * The lines of a stream that comes in pieces.
 *
 * @module
 */

import { stripVTControlCharacters } from "node:util";

/** What of a line is looked at, in characters: the rest of a longer one is not. */
const LONGEST_LINE = 4096;

/**
 * Makes lines of pieces: they end with a line feed, or with a carriage return, as each state of a
 * progress bar does. Colours are taken out.
 */
export class Lines {
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(private readonly onLine: (line: string) => void) {}

  /** Takes the next bytes. */
  hear(bytes: Uint8Array): void {
    const parts = this.#decoder.decode(bytes, { stream: true }).split(/[\r\n]/);
    this.#add(parts[0]!);
    for (const part of parts.slice(1)) {
      this.#say();
      this.#add(part);
    }
  }

  /** The stream has ended: so has its last line. */
  end(): void {
    this.#say();
  }

  #add(part: string): void {
    const room = LONGEST_LINE - this.#rest.length;
    if (room > 0) this.#rest += part.slice(0, room);
  }

  #say(): void {
    const line = this.#rest;
    this.#rest = "";
    if (line !== "") this.onLine(stripVTControlCharacters(line));
  }
}
