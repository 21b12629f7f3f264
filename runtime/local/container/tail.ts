/**
 * The end of what a program wrote.
 *
 * @module
 */

/** Keeps the last bytes of a stream. */
export class Tail {
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** @param length how many bytes are kept. */
  constructor(private readonly length: number) {}

  /** Takes the next bytes, which may be written over afterwards. */
  hear(bytes: Uint8Array): void {
    this.#pieces.push(bytes.slice(-this.length));
    this.#size += Math.min(bytes.length, this.length);
    // Not each time: a program may write letter by letter.
    if (this.#size > 2 * this.length) this.#join();
  }

  /** The bytes as text. */
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
