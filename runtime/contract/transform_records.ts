/**
 * How a transform cuts data into records, and records into requests. Source: CreateTransformJob,
 * `SplitType`, `BatchStrategy`, `MaxPayloadInMB`; the formats of records: MXNet's recordio.h (dmlc-core), and
 * "TFRecords" in TensorFlow's guide.
 */

import { MlcliError } from "../errors.ts";
import { joined } from "../streams.ts";
import { TRANSFORM } from "./limits.ts";
import { seemsToHaveHeading } from "./invocations.ts";
import { plainType, type RequestLimits, type Split, type Transform } from "./transform.ts";
import { UnfitRecord } from "./transform_filters.ts";

/** The body of a request. */
export interface Batch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly records: number;
  /** The number of its first record, from 1: of lines, the line's. */
  readonly first: number;
}

/** What is odd about the lines of a file, each with the number of the first of them. */
export interface OddLines {
  /** Empty ones, which are sent as records. */
  blank?: number;
  /** Those with a quotation mark that is not closed: a field with a line end in it is cut. */
  unclosed?: number;
  /** The first, if the second shows it to be a header. */
  header?: number;
  /** The first of a request whose answer has not a line for each of its own. */
  unanswered?: number;
}

/** A record, as far as the bytes show it: where its content is, and where the next one begins. */
interface Found {
  readonly content: readonly [start: number, end: number];
  readonly next: number;
}

/**
 * Where a record is; `undefined`: its end has not come.
 *
 * @param seen up to there, its end was looked for before.
 * @throws UnfitRecord
 */
type FindRecord = (
  bytes: Uint8Array,
  from: number,
  isLast: boolean,
  seen: number,
) => Found | undefined;

export const NEW_LINE = 10;
const RETURN = 13;
const QUOTE = 34;

const findLine: FindRecord = (bytes, from, isLast, seen) => {
  const end = bytes.indexOf(NEW_LINE, seen);
  const next = end >= 0 ? end + 1 : isLast && from < bytes.length ? bytes.length : undefined;
  return next === undefined ? undefined : { content: [from, next], next };
};

/** All of it is one record. */
const findEnd: FindRecord = (bytes, _from, isLast) =>
  isLast ? { content: [0, bytes.length], next: bytes.length } : undefined;

/** A record with its length before it, in so many bytes, and padding after it. */
function findFramed(
  head: number,
  lengthOf: (view: DataView) => number,
  paddingOf: (length: number) => number,
): FindRecord {
  return (bytes, from, isLast) => {
    const isCut = (): undefined => {
      if (isLast && from < bytes.length) throw new UnfitRecord("its last record is incomplete");
    };
    if (bytes.length < from + head) return isCut();
    const length = lengthOf(new DataView(bytes.buffer, bytes.byteOffset + from, head));
    const start = from + head;
    const next = start + length + paddingOf(length);
    return next > bytes.length ? isCut() : { content: [start, start + length], next };
  };
}

const RECORDIO_MAGIC = 0xced7230a;

const FIND: Readonly<Record<Exclude<Split, "none">, FindRecord>> = {
  line: findLine,
  recordio: findFramed(8, (view) => {
    if (view.getUint32(0, true) !== RECORDIO_MAGIC) throw new UnfitRecord("it is not RecordIO");
    const length = view.getUint32(4, true);
    // A part of a record, which only MXNet itself puts together.
    if (length >>> 29 !== 0) throw new UnfitRecord("multi-part records are not supported");
    return length;
  }, (length) => -length & 3),
  // Length and its checksum; after the data, that of the data.
  tfrecord: findFramed(12, (view) => Number(view.getBigUint64(0, true)), () => 4),
};

const MB = 1024 ** 2;

/** So much of several records is put into one request at most, in MB: what SageMaker allows. */
const LARGEST_PACK = TRANSFORM.payload;

function tooLarge(what: string, maxPayload: number): MlcliError {
  return new MlcliError(`${what} is larger than ${maxPayload} MB, the limit for a request`, {
    hint: "Raise --max-payload (up to 100 MB), or set it to 0 to send files of any size",
  });
}

/**
 * Cuts data into requests of whole records; what is not split is one request.
 *
 * @param odd is filled with what is odd about lines; of CSV, about quotation marks and a header, too.
 * @throws UnfitRecord for data that is not of that format; MlcliError for what is too large.
 */
export async function* batchesOf(
  data: AsyncIterable<Uint8Array>,
  { split, contentType }: Pick<Transform, "split" | "contentType">,
  { strategy, maxPayload }: Pick<RequestLimits, "strategy" | "maxPayload">,
  odd: OddLines,
): AsyncGenerator<Batch, void, void> {
  const isWhole = split === "none";
  const find = isWhole ? findEnd : FIND[split];
  const most = maxPayload === 0 ? Infinity : maxPayload * MB;
  const packed = Math.min(most, LARGEST_PACK * MB);
  const buffer = new Window();
  const isCsv = plainType(contentType) === "text/csv";
  const lines = split === "line" ? new LineCheck(isCsv, odd) : undefined;
  let number = 1;
  let [start, at, seen, records] = [0, 0, 0, 0];
  const batch = (from: number, to: number): Batch => {
    const made = { bytes: buffer.bytes.slice(from, to), records, first: number - records };
    records = 0;
    return made;
  };
  function* found(isLast: boolean): Generator<Batch, void, void> {
    const { bytes } = buffer;
    while (true) {
      const record = find(bytes, at, isLast, Math.max(at, seen));
      const size = (record?.next ?? bytes.length) - at;
      if (size > most) throw tooLarge(isWhole ? "The file" : `Record ${number}`, maxPayload);
      if (record === undefined) break;
      lines?.check(bytes, at, record.next, number);
      if (records > 0 && record.next - start > packed) {
        yield batch(start, at);
        start = at;
      }
      records++;
      number++;
      at = record.next;
      if (isWhole || strategy === "single") {
        yield batch(...record.content);
        start = at;
      }
      if (isWhole) break;
    }
    buffer.drop(start);
    at -= start;
    seen = bytes.length - start;
    start = 0;
  }
  for await (const piece of data) {
    buffer.add(piece);
    yield* found(false);
  }
  yield* found(true);
  if (records > 0) yield batch(0, at);
}

/** Bytes that have come and are not needed any more at the front. */
class Window {
  #buffer = new Uint8Array(64 * 1024);
  #length = 0;

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = needed;
  }

  drop(count: number): void {
    if (count === 0) return;
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
  }
}

/** Looks at lines on their way. */
class LineCheck {
  #first: Uint8Array = new Uint8Array();

  constructor(private readonly isCsv: boolean, private readonly odd: OddLines) {}

  check(bytes: Uint8Array, from: number, to: number, number: number): void {
    const { odd } = this;
    const line = bytes.subarray(from, to);
    const isBlank = line.length === 1 || line.length === 2 && line[0] === RETURN;
    if (isBlank && line.at(-1) === NEW_LINE) odd.blank ??= number;
    if (!this.isCsv) return;
    if (number === 1) this.#first = line.slice();
    if (number === 2 && seemsToHaveHeading(joined([this.#first, line]))) odd.header = 1;
    if (odd.unclosed === undefined && hasOpenQuote(line)) odd.unclosed = number;
  }
}

function hasOpenQuote(line: Uint8Array): boolean {
  let isOpen = false;
  for (let at = line.indexOf(QUOTE); at >= 0; at = line.indexOf(QUOTE, at + 1)) isOpen = !isOpen;
  return isOpen;
}

/** The number of lines in an answer: a last one without an end counts. */
export function linesIn(bytes: Uint8Array): number {
  let count = bytes.length > 0 && bytes.at(-1) !== NEW_LINE ? 1 : 0;
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) count++;
  return count;
}

/** Counts the lines of a text that arrives in pieces, as `linesIn` counts those of a whole one. */
export class LineCount {
  lines = 0;
  /** Whether there is a last line, and it has its end. */
  isEnded = false;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.lines += linesIn(piece) - (this.lines > 0 && !this.isEnded ? 1 : 0);
    this.isEnded = piece.at(-1) === NEW_LINE;
  }
}
