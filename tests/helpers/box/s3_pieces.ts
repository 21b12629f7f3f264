/**
 * Answers with the content of files, read as the client takes it.
 *
 * @module
 */

import type { Piece } from "./s3_types.ts";

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
  for (const piece of pieces) {
    const from = Math.max(0, start - position);
    const to = Math.min(piece.size, end - position);
    position += piece.size;
    if (from < to) yield* blocksOf(piece, from, to);
  }
}

/** A piece's bytes from `from` to before `to`, block by block. */
export async function* blocksOf(
  { path, offset, size }: Piece,
  from = 0,
  to = size,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  using file = await Deno.open(path);
  await file.seek(offset + from, Deno.SeekMode.Start);
  for (let left = to - from; left > 0;) {
    const block = new Uint8Array(Math.min(BLOCK, left));
    const count = await file.read(block);
    if (count === null) throw new Error(`${path} is shorter than it was`);
    left -= count;
    yield block.subarray(0, count);
  }
}
