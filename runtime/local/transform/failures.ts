/** Why a file has no result: which of its records failed, and what the server said. */

import { type Batch, NEW_LINE } from "../../contract/transform_records.ts";
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

/**
 * The one line for which a request of several fails, found by halves, and its error; all of them, where each
 * half by itself is answered, or where other lines fail, too.
 *
 * @param ask sends some of the lines.
 */
export async function narrowed(
  all: Batch,
  error: unknown,
  ask: (lines: Uint8Array<ArrayBuffer>) => Promise<unknown>,
): Promise<readonly [Range, error: unknown]> {
  const lines = linesOf(all.bytes);
  const errorOf = (from: number, to: number): Promise<unknown> =>
    ask(all.bytes.slice(lines[from], lines[to])).then(() => undefined, (error) => error);
  let [from, to, last] = [0, all.records, error];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    const ofFirst = await errorOf(from, middle);
    last = ofFirst ?? await errorOf(middle, to);
    // Without an answer, nothing is known of the line.
    const isBroken = last instanceof RequestFailure && last.status === undefined;
    if (last === undefined || isBroken) return [all, last ?? error];
    [from, to] = ofFirst ? [from, middle] : [middle, to];
  }
  // Two others that fail alone, one beside it: then they probably all do.
  const others = [all.records - 1, 0, from + 1, from - 1].filter((line) =>
    line !== from && line >= 0 && line < all.records
  );
  let isAll = others.length > 0;
  for (const line of [others[0]!, others.at(-1)!]) {
    isAll &&= await errorOf(line, line + 1) !== undefined;
  }
  return isAll ? [all, error] : [{ first: all.first + from, records: 1 }, last];
}

/** Where lines begin, and the end. */
function linesOf(bytes: Uint8Array): readonly number[] {
  const starts = [0];
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) {
    if (at + 1 < bytes.length) starts.push(at + 1);
  }
  return [...starts, bytes.length];
}
