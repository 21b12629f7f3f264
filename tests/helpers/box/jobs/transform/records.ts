/** Splits objects into records, and these into requests. */

import { concatenated } from "../../../tar.ts";

/** A record of an object. */
export interface RecordBytes {
  /** As it stands in the object, with what separates it from the next. */
  readonly whole: Uint8Array;
  /** What is sent where a request has one record. */
  readonly alone: Uint8Array;
}

/** Why an object gets no output; the lines are the data log's. */
export class RecordError extends Error {
  constructor(readonly lines: readonly string[], readonly isClients = true) {
    super(lines[0]);
  }
}

const NEWLINE = 10;
const NOT_WHOLE = "The last record is not whole";
const RECORD_IO_MAGIC = 0xced7230a;

/**
 * The records of an object.
 * @param split `None`, `Line`, `RecordIO` or `TFRecord`
 * @throws RecordError
 */
export function recordsOf(content: Uint8Array, split: string): readonly RecordBytes[] {
  if (content.length === 0) return [];
  if (split === "None") return [{ whole: content, alone: content }];
  const next = { Line: lineAt, RecordIO: recordIoAt, TFRecord: tfRecordAt }[split]!;
  const records: RecordBytes[] = [];
  for (let start = 0; start < content.length;) {
    const { end, alone } = next(content, start);
    if (end > content.length) throw new RecordError([NOT_WHOLE]);
    const whole = content.subarray(start, end);
    records.push({ whole, alone: alone ?? whole });
    start = end;
  }
  return records;
}

interface Found {
  readonly end: number;
  readonly alone?: Uint8Array;
}

/** A line keeps its newline; one inside of quotes ends it, too. */
function lineAt(content: Uint8Array, start: number): Found {
  const newline = content.indexOf(NEWLINE, start);
  return { end: newline < 0 ? content.length : newline + 1 };
}

/** MXNet's: a magic number, three bits for the part of a record and 29 for its length, padding. */
function recordIoAt(content: Uint8Array, start: number): Found {
  const parts: Uint8Array[] = [];
  for (let end = start;;) {
    const [magic, flagged] = [numberAt(content, end), numberAt(content, end + 4)];
    if (magic !== RECORD_IO_MAGIC) throw new RecordError(["The object is no RecordIO"]);
    const [part, length] = [flagged >>> 29, flagged & 0x1fffffff];
    parts.push(content.subarray(end + 8, end + 8 + length));
    end += 8 + Math.ceil(length / 4) * 4;
    // 0 is a whole record, 3 the last part of one.
    if (part === 0 || part === 3) return { end, alone: concatenated(parts) };
  }
}

/** TensorFlow's: a length of eight bytes and its checksum, the content and its checksum. */
function tfRecordAt(content: Uint8Array, start: number): Found {
  const length = numberAt(content, start) + numberAt(content, start + 4) * 2 ** 32;
  const end = start + 12 + length;
  return { end: end + 4, alone: content.subarray(start + 12, end) };
}

function numberAt(content: Uint8Array, place: number): number {
  if (place + 4 > content.length) throw new RecordError([NOT_WHOLE]);
  return new DataView(content.buffer, content.byteOffset).getUint32(place, true);
}

/** What is sent at once, and of which records. */
export interface Batch {
  readonly body: Uint8Array;
  readonly records: readonly RecordBytes[];
}

/**
 * Requests of at most so many bytes.
 * @param sent What of a record is sent: with filters not what stands in the object.
 * @throws RecordError where a record is larger.
 */
export function batchesOf(
  records: readonly RecordBytes[],
  { isMulti, limit, sent }: {
    readonly isMulti: boolean;
    readonly limit: number;
    readonly sent: (record: RecordBytes) => Uint8Array;
  },
): readonly Batch[] {
  const batches: Batch[] = [];
  let [bodies, taken, size]: [Uint8Array[], RecordBytes[], number] = [[], [], 0];
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
