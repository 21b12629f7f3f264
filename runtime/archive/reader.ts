/** Reads a compressed archive entry by entry, sparse files included, with little of it in memory. */

import { createGunzip } from "node:zlib";
import { type Extract, extract, type Header } from "tar-stream";
import { isSystemError, messageOf, MlcliError } from "../errors.ts";
import { Refusal, TRUSTED } from "./entries.ts";
import { asError, passedThrough, takesMore } from "./node_streams.ts";

const CHUNK = 64 * 1024;

/** An entry. Its content has to be read before the next one is asked for. */
export interface ArchiveEntry {
  readonly header: Header;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * The entries of a `.tar.gz`. (Not by a DecompressionStream, which refuses what `gzip -d` takes:
 * several compressed parts one after another, zeros behind them.)
 *
 * @param archive its bytes; an `MlcliError` that they throw is passed on.
 * @param most how many bytes it may have unpacked.
 * @throws Refusal where it is no such archive, or damaged; TooLarge where it has more bytes; the signal's
 * reason.
 */
export async function* entriesOf(
  archive: AsyncIterable<Uint8Array>,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry, void, void> {
  yield* tarEntriesOf(passedThrough(createGunzip(), requireGzip(archive)), most, signal);
}

/** The same of an archive that is not compressed. Whoever stops ends its source, too. */
export async function* tarEntriesOf(
  archive: AsyncIterable<Uint8Array>,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry, void, void> {
  // Archives as old as Unix V7 have no magic number; each header has its checksum.
  const tar = extract({ allowUnknownFormat: true } as Parameters<typeof extract>[0]);
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    if (!tar.destroying) tar.destroy(asError(error));
  };
  tar.on("error", fail);
  const reading = feed(tar, archive, most, signal).catch(fail);
  const thrown = (error: unknown): unknown =>
    signal.aborted ? signal.reason : explained(failure ?? error);
  try {
    const entries = tar[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await entries.next();
      if (done) break;
      yield {
        header: value.header,
        content: contentOf(value as AsyncIterable<Uint8Array>, thrown),
      };
    }
    await reading;
    if (failure !== undefined) throw failure;
  } catch (error) {
    throw thrown(error);
  } finally {
    tar.destroy();
    await reading;
  }
}

async function* contentOf(
  bytes: AsyncIterable<Uint8Array>,
  thrown: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of bytes) yield chunk;
  } catch (error) {
    throw thrown(error);
  }
}

/** Passes bytes on that begin as gzip does. */
async function* requireGzip(
  archive: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for await (const bytes of archive) {
    if (isFirst && !(bytes[0] === 0x1f && bytes[1] === 0x8b)) throw notGzipError();
    isFirst = false;
    yield bytes;
  }
  if (isFirst) throw notGzipError();
}

export async function* bytesOfFile(path: string): AsyncGenerator<Uint8Array, void, void> {
  using file = await Deno.open(path);
  for (;;) {
    const buffer = new Uint8Array(CHUNK);
    const count = await file.read(buffer);
    if (count === null) return;
    if (count > 0) yield buffer.subarray(0, count);
  }
}

async function feed(
  tar: Extract,
  source: AsyncIterable<Uint8Array>,
  most: number,
  signal: AbortSignal,
): Promise<void> {
  let total = 0;
  for await (const bytes of source) {
    signal.throwIfAborted();
    total += bytes.length;
    if (total > most) throw tooLargeError(most);
    if (!tar.destroying && !tar.write(bytes) && !tar.destroyed) await takesMore(tar);
    if (tar.destroying) return;
  }
  tar.end(undefined);
}

const AGAIN = "Pack it again: tar -czf model.tar.gz -C DIRECTORY .";

function notGzipError(): Refusal {
  return new Refusal("the file is not compressed with gzip", { hint: AGAIN });
}

export class TooLarge extends Refusal {}

export function tooLargeError(most: number): TooLarge {
  const size = most >= 1024 ** 3 ? `${Math.round(most / 1024 ** 3)} GiB` : `${most} bytes`;
  return new TooLarge(`its files are larger than the limit of ${size}`, { hint: TRUSTED });
}

/** Explains an error of the libraries. */
function explained(error: unknown): unknown {
  if (error instanceof MlcliError || isSystemError(error)) return error;
  // zlib's own errors: Z_DATA_ERROR, Z_BUF_ERROR, ...
  const isOfGzip = String((error as { code?: unknown } | null)?.code).startsWith("Z_");
  const what = isOfGzip ? "its gzip data is" : "the file is not a tar archive, or is";
  return new Refusal(`${what} damaged or incomplete (${messageOf(error)})`, {
    hint: `Download or copy the archive again. If that does not help, p${AGAIN.slice(1)}`,
  });
}

export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The map is padded with zeros to whole blocks. */
const BLOCK = 512;

/** How many regions a file may consist of. */
const MOST_REGIONS = 100_000;

/**
 * The pieces of a sparse file, as bsdtar (macOS) packs them without being asked, and GNU tar with
 * `--sparse`. Source: GNU tar's manual, "PAX Format, Version 1.0".
 *
 * @param content the map, and the bytes of all regions one after another.
 * @param size of the file.
 * @throws Refusal where the map is wrong, or the content is not what it says.
 */
export async function* piecesOf(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Piece, void, void> {
  const map = new MapReader(size);
  const regions: Iterator<Region> = map.regions.values();
  let region: Region | undefined;
  let done = 0;
  for await (const chunk of content) {
    let rest = map.read(chunk);
    while (rest.length > 0) {
      if (region === undefined || done === region.length) {
        region = regions.next().value;
        if (region === undefined) throw mapError();
        done = 0;
      }
      const bytes = rest.subarray(0, region.length - done);
      if (bytes.length > 0) yield { offset: region.offset + done, bytes };
      done += bytes.length;
      rest = rest.subarray(bytes.length);
    }
  }
  const isWhole = done === (region?.length ?? 0);
  const left = [...{ [Symbol.iterator]: () => regions }];
  if (!map.isOver || !isWhole || left.some(({ length }) => length > 0)) throw mapError();
}

interface Region {
  readonly offset: number;
  readonly length: number;
}

/** Reads the map, in whatever chunks it comes: a count, and two numbers a region, a line each. */
class MapReader {
  readonly regions: Region[] = [];
  isOver = false;
  #count: number | undefined;
  #offset: number | undefined;
  #digits = "";
  #length = 0;

  constructor(private readonly size: number) {}

  /** Reads the chunk's part of the map; returns the rest of the chunk. */
  read(chunk: Uint8Array): Uint8Array {
    let index = 0;
    for (; index < chunk.length && !this.isOver; index++) {
      const byte = chunk[index]!;
      this.#length++;
      if (this.#isComplete) {
        if (byte !== 0) throw mapError();
      } else if (byte === 0x0a) {
        this.#add(this.#digits);
        this.#digits = "";
      } else this.#digits += String.fromCharCode(byte);
      if (this.#digits.length > 16) throw mapError();
      this.isOver = this.#isComplete && this.#length % BLOCK === 0;
    }
    return chunk.subarray(index);
  }

  get #isComplete(): boolean {
    return this.regions.length === this.#count;
  }

  #add(digits: string): void {
    const number = /^\d+$/.test(digits) ? Number(digits) : NaN;
    if (!Number.isSafeInteger(number)) throw mapError();
    if (this.#count === undefined) {
      if (number > MOST_REGIONS) throw mapError();
      this.#count = number;
    } else if (this.#offset === undefined) this.#offset = number;
    else {
      const last = this.regions.at(-1);
      const isAfter = this.#offset >= (last ? last.offset + last.length : 0);
      if (!isAfter || this.#offset + number > this.size) throw mapError();
      this.regions.push({ offset: this.#offset, length: number });
      this.#offset = undefined;
    }
  }
}

function mapError(): Refusal {
  return new Refusal("it contains a damaged sparse file", {
    hint: "Pack it again without sparse files. With bsdtar (macOS), use --no-read-sparse.",
  });
}
