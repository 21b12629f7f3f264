import { typeOfBytes } from "../contract/invocations.ts";
import type { MlcliError } from "../errors.ts";

/** What is sent, all of it. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** The same in the pieces that it came in: a large one would need room for itself twice. */
export interface BodyInPieces {
  readonly pieces: readonly Uint8Array[];
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
  body: UnreadBody,
  most: number,
  tooLarge: () => MlcliError,
): Promise<RequestBody> {
  const { pieces, contentType } = await readPieces(body, most, tooLarge);
  return { bytes: joined(pieces), contentType };
}

/** The same, in pieces. */
export async function readPieces(
  { pieces, contentType }: UnreadBody,
  most: number,
  tooLarge: () => MlcliError,
): Promise<BodyInPieces> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > most) throw tooLarge();
    read.push(piece);
  }
  return { pieces: read, contentType: contentType ?? typeOfBytes(startOf(read)) };
}

/** As much of it as tells what it is. */
function startOf(pieces: readonly Uint8Array[]): Uint8Array {
  const start: Uint8Array[] = [];
  let missing = TELLING_LENGTH;
  for (const piece of pieces) {
    if (missing === 0) break;
    const part = piece.subarray(0, missing);
    start.push(part);
    missing -= part.length;
  }
  return joined(start);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
