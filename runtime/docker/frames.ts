/**
 * The engine's multiplexed streams: standard output and standard error of a container without a
 * terminal, in one body.
 */

import { MlcliError } from "../errors.ts";
import { engineWords } from "./errors.ts";

/** A piece of output, as it arrived: the container may have written it in other pieces. */
export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly bytes: Uint8Array;
}

/** Stream (1 byte), three zeros, length (big-endian uint32): Engine API, "Attach to a container". */
const HEADER_LENGTH = 8;

/** What the stream byte means; 0 is standard input, which containers of mlcli do not have. */
const STREAMS: Readonly<Record<number, OutputPiece["stream"] | "engine">> = {
  0: "stdout",
  1: "stdout",
  2: "stderr",
  // An error of the engine itself (moby, pkg/stdcopy, `Systemerr`).
  3: "engine",
};

/**
 * Takes a multiplexed body apart without holding more than what has just arrived: a frame may be
 * split over many chunks, and a chunk may hold many frames.
 *
 * @throws MlcliError when the body ends within a frame, or does not consist of frames.
 */
export async function* demultiplex(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<OutputPiece, void, void> {
  const header = new Uint8Array(HEADER_LENGTH);
  let headerFilled = 0;
  let left = 0; // bytes of the current frame that are still to come
  let complaint = ""; // of the engine
  const decoder = new TextDecoder();
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
        left = frameLength(header);
        continue;
      }
      const bytes = rest.subarray(0, left);
      left -= bytes.length;
      rest = rest.subarray(bytes.length);
      const stream = STREAMS[header[0]!]!;
      if (stream === "engine") {
        complaint = addedTo(complaint, decoder.decode(bytes, { stream: true }));
      } else yield { stream, bytes };
    }
  }
  if (complaint !== "") throw broken(engineWords(complaint.trim()));
  if (left > 0 || headerFilled > 0) throw broken("incomplete frame");
}

/** Longer than any complaint, in characters. */
const LONGEST_COMPLAINT = 16_384;

function addedTo(complaint: string, words: string): string {
  return (complaint + words).slice(0, LONGEST_COMPLAINT);
}

function frameLength(header: Uint8Array): number {
  const isFrame = header[0]! in STREAMS && header[1] === 0 && header[2] === 0 && header[3] === 0;
  if (!isFrame) throw broken("invalid frame");
  return new DataView(header.buffer).getUint32(4);
}

function broken(reason: string): MlcliError {
  return new MlcliError(`Cannot read the container's output from the Docker Engine: ${reason}`, {
    hint: "Check that the Docker Engine is running: docker version",
  });
}
