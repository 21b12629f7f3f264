/**
 * The body of a request to a model.
 *
 * @module
 */

import { typeOfBytes } from "../contract/media_types.ts";
import type { MlcliError } from "../errors.ts";

/** What is sent, all of it. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** A body that has not been read yet. */
export interface UnreadBody {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** When undefined, it is found out from the beginning of the body. */
  readonly contentType: string | undefined;
}

/** How much of a body is read to find out its type, in bytes. */
const TELLING_LENGTH = 65_536;

/**
 * Reads a body to its end.
 *
 * @param most in bytes.
 * @param tooLarge makes the error for a body that is larger, of which the rest is not read.
 */
export async function readBody(
  { pieces, contentType }: UnreadBody,
  most: number,
  tooLarge: () => MlcliError,
): Promise<RequestBody> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most) throw tooLarge();
    read.push(piece);
  }
  const bytes = joined(read, length);
  return {
    bytes,
    contentType: contentType ?? typeOfBytes(bytes.subarray(0, TELLING_LENGTH)),
  };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
