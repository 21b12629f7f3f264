/**
 * The lines of a stream that comes in pieces.
 *
 * @module
 */

import { stripVTControlCharacters } from "node:util";
import { LONGEST_LINE } from "../../contract/metric_values.ts";

/**
 * Makes lines of pieces: they end with a line feed, or with a carriage return, as each state of a
 * progress bar does. Colours are taken out.
 */
export class Lines {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** Takes the next bytes: the lines that end in them. */
  *hear(bytes: Uint8Array): Generator<string, void, void> {
    const parts = this.#decoder.decode(bytes, { stream: true }).split(/[\r\n]/);
    this.#add(parts[0]!);
    for (const part of parts.slice(1)) {
      yield* this.end();
      this.#add(part);
    }
  }

  /** The stream has ended: so has its last line. */
  *end(): Generator<string, void, void> {
    const line = this.#rest;
    this.#rest = "";
    if (line !== "") yield stripVTControlCharacters(line);
  }

  #add(part: string): void {
    const room = LONGEST_LINE - this.#rest.length;
    if (room > 0) this.#rest += part.slice(0, room);
  }
}
