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

/** `data.csv, lines 3 to 5` */
export function placeText(file: string, range: Range | undefined, word: string): string {
  if (range === undefined) return inOneLine(file);
  const { first, records } = range;
  const place = records === 1 ? `${word} ${first}` : `${word}s ${first} to ${first + records - 1}`;
  return `${inOneLine(file)}, ${place}`;
}

/** `data.csv, line 3: HTTP 400: not a number` */
export function failureText(
  { file, first, last, status, reason }: FailedRequest,
  word: string,
): string {
  const range = first === null ? undefined : { first, records: last! - first + 1 };
  return `${placeText(file, range, word)}: ${status === null ? "" : `HTTP ${status}: `}${reason}`;
}

const NEW_LINE = 10;

/**
 * The one line for which a request of several fails, found by halves, and its error; all of them, where each
 * half by itself is answered, or where another line fails, too.
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
  if (all.records > 1) {
    // Another one fails alone, too: then they probably all do.
    const isLast = first === all.first + all.records - 1;
    const end = all.bytes.lastIndexOf(NEW_LINE, -2) + 1;
    const other = isLast
      ? all.bytes.slice(0, all.bytes.indexOf(NEW_LINE) + 1)
      : all.bytes.slice(end);
    if (await errorOf(other) !== undefined) return [all, error];
  }
  return [{ first, records }, last];
}
