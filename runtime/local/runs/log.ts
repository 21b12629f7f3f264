/**
 * What the code of a run wrote, kept with the run: each line with a mark that says to which stream. Of
 * much, the beginning and the end.
 *
 * @module
 */

import { type Output, overlaid } from "../../streams.ts";

/** How much is kept, in bytes. */
const FIRST = 8 * 1024 ** 2;
const LAST = 56 * 1024 ** 2;

/** The largest kept log, in bytes, with the note about the bytes that are left out. */
export const LARGEST_LOG = FIRST + LAST + 100;

const NEW_LINE = 10;
const MARKS = {
  out: new TextEncoder().encode("out "),
  err: new TextEncoder().encode("err "),
} as const;

type Stream = keyof typeof MARKS;

/** A log that is being written. */
export class RunLog {
  #file: Deno.FsFile | undefined;
  #size = 0;
  /** Whose line has no end yet. */
  #open: Stream | undefined;
  #hasFailed = false;

  /**
   * @param path is made when there is something to write.
   * @param onFailure is told once, where nothing more can be written.
   */
  constructor(
    private readonly path: string,
    private readonly onFailure: (error: unknown) => void,
    private readonly first = FIRST,
    private readonly last = LAST,
  ) {}

  /** The same streams; what is written to them is kept. */
  of({ out, err }: { readonly out: Output; readonly err: Output }): { out: Output; err: Output } {
    return { out: this.#kept(out, "out"), err: this.#kept(err, "err") };
  }

  /** Puts the last bytes in their order. */
  end(): void {
    this.#orFail(() => {
      if (this.#open !== undefined) this.#write(new Uint8Array([NEW_LINE]));
      if (this.#file && this.#size > this.first + this.last) this.#turn(this.#file);
    });
    this.#file?.close();
    this.#file = undefined;
  }

  #kept(output: Output, stream: Stream): Output {
    return overlaid(output, {
      write: (bytes) => {
        if (bytes.length > 0) this.#orFail(() => this.#write(this.#marked(stream, bytes)));
        return output.write(bytes);
      },
    });
  }

  #orFail(work: () => void): void {
    if (this.#hasFailed) return;
    try {
      work();
    } catch (error) {
      this.#hasFailed = true;
      this.onFailure(error);
    }
  }

  #marked(stream: Stream, bytes: Uint8Array): Uint8Array {
    const mark = MARKS[stream];
    const isContinued = this.#open === stream;
    const isCut = this.#open !== undefined && !isContinued;
    let lines = isContinued ? 0 : 1;
    for (let at = 0; at < bytes.length - 1; at++) if (bytes[at] === NEW_LINE) lines++;
    const marked = new Uint8Array(bytes.length + lines * mark.length + (isCut ? 1 : 0));
    let size = 0;
    const add = (piece: Uint8Array): void => {
      marked.set(piece, size);
      size += piece.length;
    };
    if (isCut) add(new Uint8Array([NEW_LINE]));
    if (!isContinued) add(mark);
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(NEW_LINE, start) + 1 || bytes.length;
      add(bytes.subarray(start, end));
      if (end < bytes.length) add(mark);
      start = end;
    }
    this.#open = bytes.at(-1) === NEW_LINE ? undefined : stream;
    return marked;
  }

  /** Behind the first bytes, the last ones go round. */
  #write(bytes: Uint8Array): void {
    this.#file ??= Deno.openSync(this.path, {
      read: true,
      write: true,
      createNew: true,
      mode: 0o600,
    });
    for (let rest = bytes; rest.length > 0;) {
      const isFirst = this.#size < this.first;
      const at = isFirst ? this.#size : (this.#size - this.first) % this.last;
      if (!isFirst && at === 0) this.#file.seekSync(this.first, Deno.SeekMode.Start);
      const room = (isFirst ? this.first : this.last) - at;
      const written = this.#file.writeSync(rest.subarray(0, room));
      this.#size += written;
      rest = rest.subarray(written);
    }
  }

  #turn(file: Deno.FsFile): void {
    const last = new Uint8Array(this.last);
    file.seekSync(this.first, Deno.SeekMode.Start);
    for (let size = 0; size < last.length;) size += file.readSync(last.subarray(size))!;
    const at = (this.#size - this.first) % this.last;
    const left = this.#size - this.first - this.last;
    file.seekSync(this.first, Deno.SeekMode.Start);
    const note = new TextEncoder().encode(`\n... ${left} bytes omitted ...\n`);
    for (const piece of [note, last.subarray(at), last.subarray(0, at)]) {
      for (let rest = piece; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
    }
  }
}
