/**
 * What the engine sends of a container's two streams, as lines.
 *
 * @module
 */

/** Text that comes in pieces, as lines. Empty ones are no events. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** The lines that are whole now. */
  take(bytes: Uint8Array): readonly string[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#rest = lines.pop()!;
    return lines.map((line) => line.replace(/\r$/, "")).filter((line) => line !== "");
  }

  /** What is behind the last line break, if anything is. */
  rest(): readonly string[] {
    return this.#rest === "" ? [] : [this.#rest];
  }
}

/** The engine's frames: a byte for the stream, three of nothing, four for the length. */
export async function* frames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly stream: number; readonly bytes: Uint8Array }> {
  let rest = new Uint8Array(0);
  for await (const chunk of body) {
    const joined = new Uint8Array(rest.length + chunk.length);
    joined.set(rest);
    joined.set(chunk, rest.length);
    rest = joined;
    while (rest.length >= 8) {
      const end = 8 + new DataView(rest.buffer, rest.byteOffset).getUint32(4);
      if (rest.length < end) break;
      yield { stream: rest[0]!, bytes: rest.subarray(8, end) };
      rest = rest.slice(end);
    }
  }
}
