/** Reads a stream as text, piece by piece. */
export class TextReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  /** Everything read so far. */
  text = "";

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads until the text so far matches. Fails when the stream ends before. */
  async until(pattern: RegExp): Promise<RegExpMatchArray> {
    while (true) {
      const match = pattern.exec(this.text);
      if (match) return match;
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`The stream ended without ${pattern}: ${this.text}`);
      this.text += value;
    }
  }

  /** Reads to the end and returns everything. */
  async toEnd(): Promise<string> {
    while (true) {
      const { value, done } = await this.#reader.read();
      if (done) return this.text;
      this.text += value;
    }
  }
}
