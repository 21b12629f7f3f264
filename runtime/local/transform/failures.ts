/** Why a file has no result: which of its records failed, and what the server said. */

import { fileErrorReason, isSystemError, MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import type { Batch } from "../../contract/transform_records.ts";
import { RequestFailure } from "./requests.ts";
import type { FailedRequest } from "./results.ts";

/** Records of a file, by number. */
export type Range = Pick<Batch, "first" | "records">;

/** Whether an error fails a file, and not the whole transform. */
export function failsFile(error: unknown): boolean {
  return error instanceof RequestFailure || error instanceof MlcliError || isSystemError(error);
}

/** @param range where it is known. */
export function failedRequest(
  file: string,
  range: Range | undefined,
  error: unknown,
): FailedRequest {
  const isRequest = error instanceof RequestFailure;
  return {
    file,
    first: range?.first ?? null,
    last: range ? range.first + range.records - 1 : null,
    status: isRequest ? error.status ?? null : null,
    reason: isRequest ? error.reason : fileErrorReason(error),
  };
}

/** `data.csv, line 3: HTTP 400: not a number` */
export function failureText(
  { file, first, last, status, reason }: FailedRequest,
  word: string,
): string {
  const place = first === null
    ? ""
    : first === last
    ? `, ${word} ${first}`
    : `, ${word}s ${first} to ${last}`;
  return `${inOneLine(file)}${place}: ${status === null ? "" : `HTTP ${status}: `}${reason}`;
}

/** Records of a file that failed; the error, where it is another one than that of all of them. */
export interface Narrowed extends Range {
  readonly error?: unknown;
}

/**
 * The one line for which a request of several fails, found by halves; where each half by itself is answered,
 * all of them.
 *
 * @param ask sends some of the lines.
 */
export async function narrowed(
  { first, records, bytes }: Batch,
  error: unknown,
  ask: (lines: Uint8Array<ArrayBuffer>) => Promise<unknown>,
): Promise<Narrowed> {
  const errorOf = (lines: Uint8Array<ArrayBuffer>): Promise<unknown> =>
    ask(lines).then(() => undefined, (error) => error);
  let [from, count, part, last] = [first, records, bytes, error];
  while (count > 1) {
    const half = count >> 1;
    let middle = 0;
    for (let line = 0; line < half; line++) middle = part.indexOf(NEW_LINE, middle) + 1;
    const ofFirst = await errorOf(part.slice(0, middle));
    last = ofFirst ?? await errorOf(part.slice(middle));
    if (last === undefined) return { first, records, error };
    part = ofFirst ? part.slice(0, middle) : part.slice(middle);
    from += ofFirst ? 0 : half;
    count = ofFirst ? half : count - half;
  }
  return { first: from, records: 1, error: last };
}

const NEW_LINE = 10;
