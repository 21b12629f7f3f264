/**
 * The engine's multiplexed streams: standard output and standard error of a container without a
 * terminal, in one body.
 *
 * @module
 */

/** A piece of output; pieces are as long as they came, not as the container wrote them. */
export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** Stream (1 byte), three zeros, length (big-endian uint32): Engine API, "Attach to a container". */
const HEADER_LENGTH = 8;

/**
 * Takes a multiplexed body apart without holding more than what has just arrived: a frame may be
 * split over many chunks, and a chunk may hold many frames.
 */
export async function* demultiplex(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<OutputPiece, void, void> {
  const header = new Uint8Array(HEADER_LENGTH);
  let headerFilled = 0;
  let left = 0; // bytes of the current frame that are still to come
  for await (const chunk of body) {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const part = rest.subarray(0, HEADER_LENGTH - headerFilled);
        header.set(part, headerFilled);
        headerFilled += part.length;
        rest = rest.subarray(part.length);
        if (headerFilled < HEADER_LENGTH) continue;
        headerFilled = 0;
        left = new DataView(header.buffer).getUint32(4);
        continue;
      }
      const bytes = rest.subarray(0, left);
      left -= bytes.length;
      rest = rest.subarray(bytes.length);
      yield { stream: header[0] === 2 ? "stderr" : "stdout", bytes };
    }
  }
}
