/**
 * Answers with the content of files, read as the client takes it.
 *
 * @module
 */

import type { Piece } from "./s3_store.ts";

/** What is read at once (bytes). */
const BLOCK = 256 * 1024;

/** The bytes of the pieces, one behind the other, from `start` to before `end`. */
export function piecesAnswer(
  pieces: readonly Piece[],
  start: number,
  end: number,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(end > start ? streamOf(pieces, start, end) : null, {
    status,
    headers: { ...headers, "content-length": String(end - start) },
  });
}

function streamOf(
  pieces: readonly Piece[],
  start: number,
  end: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const blocks = read(pieces, start, end);
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await blocks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await blocks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* read(
  pieces: readonly Piece[],
  start: number,
  end: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  let position = 0;
  for (const { path, size } of pieces) {
    const from = Math.max(0, start - position);
    const to = Math.min(size, end - position);
    position += size;
    if (from >= to) continue;
    using file = await Deno.open(path);
    await file.seek(from, Deno.SeekMode.Start);
    for (let left = to - from; left > 0;) {
      const block = new Uint8Array(Math.min(BLOCK, left));
      const count = await file.read(block);
      if (count === null) throw new Error(`${path} is shorter than it was`);
      left -= count;
      yield block.subarray(0, count);
    }
  }
}
