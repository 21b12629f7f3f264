/**
 * What a program has written: it goes on to where it was meant to go, and its end is remembered.
 *
 * @module
 */

import { stripVTControlCharacters } from "node:util";
import { type Output, overlaid } from "../../streams.ts";
import { Tail } from "./tail.ts";

/** So much of the end of each stream is remembered, in bytes: more than any reason is long. */
const LENGTH = 64 * 1024;

/** Listens to both streams of a program. */
export class Heard {
  readonly #stdout = new Tail(LENGTH);
  readonly #stderr = new Tail(LENGTH);

  /** The same streams, listened to. */
  to({ out, err }: { readonly out: Output; readonly err: Output }): { out: Output; err: Output } {
    return { out: listened(out, this.#stdout), err: listened(err, this.#stderr) };
  }

  /** The end of all that was written, without what only changes a terminal. */
  get text(): string {
    return `${stripVTControlCharacters(this.#stdout.text)}\n${this.#errors}`;
  }

  /** The last line on standard error that is not empty. */
  get lastError(): string {
    return this.#errors.split("\n").findLast((line) => line.trim() !== "") ?? "";
  }

  get #errors(): string {
    return stripVTControlCharacters(this.#stderr.text);
  }
}

/** A stream whose bytes are heard as well; what mlcli itself prints to it is not. */
function listened(output: Output, tail: Tail): Output {
  return overlaid(output, {
    write: (bytes) => {
      tail.hear(bytes);
      return output.write(bytes);
    },
  });
}
