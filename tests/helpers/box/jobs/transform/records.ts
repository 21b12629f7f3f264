/** Splits objects into records, and these into requests. */

import { concatenated } from "../../../tar.ts";

/** Why an object gets no output; the lines are the data log's. */
export class RecordError extends Error {
  constructor(readonly lines: readonly string[], readonly isClients = true) {
    super(lines[0]);
  }
}

const NEWLINE = 10;

/** The lines of an object, each with its newline; one inside of quotes ends a line, too. */
export function linesOf(content: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < content.length;) {
    const newline = content.indexOf(NEWLINE, start);
    const end = newline < 0 ? content.length : newline + 1;
    lines.push(content.subarray(start, end));
    start = end;
  }
  return lines;
}

/** What is sent at once, and of which records. */
export interface Batch {
  readonly body: Uint8Array;
  readonly records: readonly Uint8Array[];
}

/**
 * Requests of at most so many bytes.
 * @param sent What of a record is sent: with filters not what stands in the object.
 * @throws RecordError where a record is larger.
 */
export function batchesOf(
  records: readonly Uint8Array[],
  { isMulti, limit, sent }: {
    readonly isMulti: boolean;
    readonly limit: number;
    readonly sent: (record: Uint8Array) => Uint8Array;
  },
): readonly Batch[] {
  const batches: Batch[] = [];
  let [bodies, taken, size]: [Uint8Array[], Uint8Array[], number] = [[], [], 0];
  const close = (): void => {
    if (taken.length > 0) batches.push({ body: concatenated(bodies), records: taken });
    [bodies, taken, size] = [[], [], 0];
  };
  for (const record of records) {
    const body = sent(record);
    if (body.length > limit) throw new RecordError(["Too much data for max payload size"]);
    if (!isMulti || size + body.length > limit) close();
    bodies.push(body);
    taken.push(record);
    size += body.length;
  }
  close();
  return batches;
}

/** An object of answers: one behind the other, or each with a newline at its end. */
export function assembled(answers: readonly Uint8Array[], assemble = "None"): Uint8Array {
  if (assemble === "None") return concatenated(answers);
  const end = Uint8Array.of(NEWLINE);
  return concatenated(
    answers.flatMap((answer) => answer.at(-1) === NEWLINE ? [answer] : [answer, end]),
  );
}
