import { filesOfImage } from "./engine.ts";

/** Which of the texts are anywhere in an image: its configuration, its history, all its layers. */
export async function foundIn(
  reference: string,
  texts: readonly string[],
): Promise<readonly string[]> {
  const longest = Math.max(...texts.map(({ length }) => length));
  const found = new Set<string>();
  for await (const file of filesOfImage(reference)) {
    // Bytes as letters; the end of one piece may be the beginning of a text.
    let rest = "";
    for await (const bytes of unzipped(file)) {
      const piece = rest + new TextDecoder("latin1").decode(bytes);
      for (const text of texts) if (piece.includes(text)) found.add(text);
      rest = piece.slice(-longest);
    }
  }
  return [...found];
}

/** Some engines keep layers compressed. */
async function* unzipped(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = file[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) return;
  async function* all(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    yield first.value.slice();
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      yield next.value.slice();
    }
  }
  const isZipped = first.value[0] === 0x1f && first.value[1] === 0x8b;
  if (!isZipped) return yield* all();
  yield* ReadableStream.from(all()).pipeThrough(new DecompressionStream("gzip"));
}
