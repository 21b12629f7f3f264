/**
 * How large an answer may be. Whatever is asked for is small: files of S3 come in ranges of 8 MiB, and
 * a model answers with no more than 25 MB. So what goes on for ever, or says that it will, must not
 * take the machine's memory.
 *
 * @module
 */

import { AwsError } from "./errors.ts";

/** In bytes. */
export const LARGEST_ANSWER = 64 * 1024 ** 2;

/**
 * The largest message of a stream of events, in bytes: 16 MB and its headers, 128 KB (Smithy, "Amazon
 * Event Stream").
 */
const LARGEST_EVENT = 17 * 1024 ** 2;

/** The number of bytes of a message, which it begins with. */
const LENGTH_BYTES = 4;

/**
 * All of an answer.
 * @throws AwsError where it is larger than that.
 */
export async function wholeAnswer(
  body: AsyncIterable<Uint8Array> | null,
  most = LARGEST_ANSWER,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of body ?? []) {
    total += piece.length;
    if (total > most) throw tooLarge(`more than ${most / 1024 ** 2} MiB`);
    pieces.push(piece);
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * Passes a stream of events on, whose messages say how large they are: the SDK makes room for what they
 * say.
 *
 * @throws AwsError where one says too much.
 */
export async function* withinLimits(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const length = new Uint8Array(LENGTH_BYTES);
  let read = 0;
  let left = 0;
  for await (const piece of body) {
    for (let at = 0; at < piece.length;) {
      if (left > 0) {
        const step = Math.min(left, piece.length - at);
        at += step;
        left -= step;
        continue;
      }
      length[read++] = piece[at++]!;
      if (read < LENGTH_BYTES) continue;
      const total = new DataView(length.buffer).getUint32(0);
      if (total > LARGEST_EVENT) throw tooLarge(`an event of ${total} bytes`);
      // What says less than it has said already is damaged; the SDK finds that out.
      left = total - LENGTH_BYTES;
      read = 0;
    }
    yield piece;
  }
}

function tooLarge(what: string): AwsError {
  return new AwsError("failed", `Something else than the platform answered: ${what}`, {
    hint: "No service answers with so much. Check AWS_ENDPOINT_URL, and any proxy.",
  });
}
