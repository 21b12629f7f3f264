/**
 * What a model answers.
 *
 * @module
 */

import type { Output } from "../streams.ts";

/**
 * Passes an answer on as it comes, byte for byte.
 *
 * @returns its last byte: the caller may have to end the line before the next prompt.
 */
export async function printAnswer(
  pieces: AsyncIterable<Uint8Array>,
  out: Pick<Output, "write">,
): Promise<number | undefined> {
  let last: number | undefined;
  for await (const piece of pieces) {
    await out.write(piece);
    last = piece.at(-1) ?? last;
  }
  return last;
}

/** A refusal in words, as the first line of an error and what stands below it. */
export interface RefusalWords {
  readonly message: string;
  readonly quote: string | undefined;
}

/**
 * The words of an answer that is not a success: the text of its `error`, which servers of mlcli
 * send, or else all of it, below what is said for it.
 *
 * @param status as it is named: `HTTP 500`.
 */
export function refusalWords(body: string, status: string, otherwise: string): RefusalWords {
  const words = errorOf(body);
  return words === undefined
    ? { message: otherwise, quote: body }
    : { message: `${words} (${status})`, quote: undefined };
}

/** The text of a JSON answer's `error`, if it has one. */
function errorOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" && error.trim() !== "" ? error.trim() : undefined;
  } catch {
    return undefined; // another server's own form
  }
}

/** What a refusal with one of these depends on: the body's type, the answer's, or both. */
const OF_TYPES: readonly number[] = [400, 406, 415];

/** What to do about a refusal that a type may be the reason of. */
export function typeHint(status: number, contentType: string): string | undefined {
  if (!OF_TYPES.includes(status)) return undefined;
  return `It was sent as ${contentType}; --content-type and --accept choose other types.`;
}
