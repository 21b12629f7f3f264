import { type Output, overlaid } from "../../streams.ts";
import { withoutSequences } from "../../text.ts";

export class Tail {
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly length: number) {}

  /** Takes the next bytes, which may be written over afterwards. */
  add(bytes: Uint8Array): void {
    this.#pieces.push(bytes.slice(-this.length));
    this.#size += Math.min(bytes.length, this.length);
    // Not each time: a program may write letter by letter.
    if (this.#size > 2 * this.length) this.#join();
  }

  get text(): string {
    return new TextDecoder().decode(this.#join());
  }

  #join(): Uint8Array {
    const all = new Uint8Array(this.#size);
    let offset = 0;
    for (const piece of this.#pieces) {
      all.set(piece, offset);
      offset += piece.length;
    }
    const end = all.slice(-this.length);
    this.#pieces = [end];
    this.#size = end.length;
    return end;
  }
}

/** How much of the end of each stream is remembered, in bytes: more than the longest reason. */
const LENGTH = 64 * 1024;

/** As torch 1 and torch 2 log an error. */
const OF_TORCHRUN =
  /^(ERROR:torch\.distributed\.elastic\.|E\d{4} .*\btorch\/distributed\/elastic\/)/;

/** Remembers the end of both streams of a program. */
export class LastOutput {
  readonly #stdout = new Tail(LENGTH);
  readonly #stderr = new Tail(LENGTH);

  /** The same streams; what is written to them is remembered. */
  of({ out, err }: { readonly out: Output; readonly err: Output }): { out: Output; err: Output } {
    return { out: remembered(out, this.#stdout), err: remembered(err, this.#stderr) };
  }

  /** The end of all that was written, without what only changes a terminal. */
  get text(): string {
    return `${withoutSequences(this.#stdout.text)}\n${this.#errors}`;
  }

  /** The last line on standard error that is not empty, and not torchrun's own about the code's end. */
  get lastError(): string {
    const isCodes = (line: string): boolean => line.trim() !== "" && !OF_TORCHRUN.test(line);
    return this.#errors.split("\n").findLast(isCodes) ?? "";
  }

  get #errors(): string {
    return withoutSequences(this.#stderr.text);
  }
}

/** What a program writes to a stream is remembered; what mlcli itself prints to it is not. */
function remembered(output: Output, tail: Tail): Output {
  return overlaid(output, {
    write: (bytes) => {
      tail.add(bytes);
      return output.write(bytes);
    },
  });
}

/**
 * What sudo says, since 1.9 and before (`sudo.c`, `sudo_check_suid`). There is no other way to
 * notice it.
 */
const REFUSALS = /"no new privileges" flag is set|effective uid is not 0/;

const HINT = "To let programs of the image gain privileges, as sudo does, use --allow-privileges";

/** The hint, if what a program wrote says that it needs privileges. */
export function privilegesHint(text: string): string | undefined {
  return REFUSALS.test(text) ? HINT : undefined;
}
