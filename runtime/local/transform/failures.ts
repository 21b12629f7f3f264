/** Why a file has no result: which of its records failed, and what the server said. */

import type { Batch } from "../../contract/transform_records.ts";
import { fileErrorReason, isSystemError, MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";

/** Whatever the server did not answer as it should. */
export class RequestFailure extends MlcliError {
  override readonly name = "RequestFailure";

  /** @param status of HTTP; `undefined`: there was no answer. */
  constructor(readonly status: number | undefined, reason: string) {
    super(reason);
  }
}

/** A request that failed. */
export interface FailedRequest {
  readonly file: string;
  /** Number of its first record, from 1: of lines, the line's; `null`: not known. */
  readonly first: number | null;
  readonly last: number | null;
  /** Of HTTP; `null`: there was no answer. */
  readonly status: number | null;
  /** What the server said, or why there was no answer. */
  readonly reason: string;
}

/** Records of a file, by number. */
export type Range = Pick<Batch, "first" | "records">;

/** Whether an error fails a file, and not the whole transform. */
export function failsFile(error: unknown): boolean {
  return error instanceof MlcliError || isSystemError(error);
}

/** @param range where it is known. */
export function failedRequest(
  file: string,
  error: unknown,
  range: Range | undefined,
): FailedRequest {
  return {
    file,
    first: range?.first ?? null,
    last: range ? range.first + range.records - 1 : null,
    status: error instanceof RequestFailure ? error.status ?? null : null,
    reason: fileErrorReason(error),
  };
}

/** `data.csv, line 3: HTTP 400: not a number` */
export function failureText(
  { file, first, last, status, reason }: FailedRequest,
  word: string,
): string {
  const range = first === last ? `${word} ${first}` : `${word}s ${first} to ${last}`;
  const place = first === null ? "" : `, ${range}`;
  return `${inOneLine(file)}${place}: ${status === null ? "" : `HTTP ${status}: `}${reason}`;
}

const NEW_LINE = 10;

/**
 * The one line for which a request of several fails, found by halves, and its error; where each half by
 * itself is answered, all of them.
 *
 * @param ask sends some of the lines.
 */
export async function narrowed(
  all: Batch,
  error: unknown,
  ask: (lines: Uint8Array<ArrayBuffer>) => Promise<unknown>,
): Promise<readonly [Range, error: unknown]> {
  const errorOf = (lines: Uint8Array<ArrayBuffer>): Promise<unknown> =>
    ask(lines).then(() => undefined, (error) => error);
  let { first, records, bytes } = all;
  let last = error;
  while (records > 1) {
    const half = records >> 1;
    let middle = 0;
    for (let line = 0; line < half; line++) middle = bytes.indexOf(NEW_LINE, middle) + 1;
    const ofFirst = await errorOf(bytes.slice(0, middle));
    last = ofFirst ?? await errorOf(bytes.slice(middle));
    if (last === undefined) return [all, error];
    bytes = ofFirst ? bytes.slice(0, middle) : bytes.slice(middle);
    first += ofFirst ? 0 : half;
    records = ofFirst ? half : records - half;
  }
  return [{ first, records }, last];
}
