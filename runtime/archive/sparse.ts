/**
 * Files with holes, as bsdtar (macOS) packs them without being asked, and GNU tar with `--sparse`:
 * the content begins with a map. Source: GNU tar's manual, "PAX Format, Version 1.0".
 *
 * @module
 */

import { Refusal } from "./entries.ts";

/** Some bytes of a file, and where they belong. */
export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The map is filled up with zeros to whole blocks. */
const BLOCK = 512;

/** How many regions a file may consist of. */
const MOST_REGIONS = 100_000;

/**
 * The pieces of a file with holes.
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
        if (region === undefined) throw wrong();
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
  if (!map.isOver || !isWhole || left.some(({ length }) => length > 0)) throw wrong();
}

interface Region {
  readonly offset: number;
  readonly length: number;
}

/** Reads the map, in whatever chunks it comes: a count, and two numbers a region, a line each. */
class MapReader {
  readonly regions: Region[] = [];
  isOver = false;
  readonly #size: number;
  #count: number | undefined;
  #offset: number | undefined;
  #digits = "";
  #length = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes from a chunk what belongs to the map; returns the rest. */
  read(chunk: Uint8Array): Uint8Array {
    let index = 0;
    for (; index < chunk.length && !this.isOver; index++) {
      const byte = chunk[index]!;
      this.#length++;
      if (this.#isComplete) {
        if (byte !== 0) throw wrong();
      } else if (byte === 0x0a) {
        this.#add(this.#digits);
        this.#digits = "";
      } else this.#digits += String.fromCharCode(byte);
      if (this.#digits.length > 16) throw wrong();
      this.isOver = this.#isComplete && this.#length % BLOCK === 0;
    }
    return chunk.subarray(index);
  }

  get #isComplete(): boolean {
    return this.regions.length === this.#count;
  }

  #add(digits: string): void {
    const number = /^\d+$/.test(digits) ? Number(digits) : NaN;
    if (!Number.isSafeInteger(number)) throw wrong();
    if (this.#count === undefined) {
      if (number > MOST_REGIONS) throw wrong();
      this.#count = number;
    } else if (this.#offset === undefined) this.#offset = number;
    else {
      const last = this.regions.at(-1);
      const isAfter = this.#offset >= (last ? last.offset + last.length : 0);
      if (!isAfter || this.#offset + number > this.#size) throw wrong();
      this.regions.push({ offset: this.#offset, length: number });
      this.#offset = undefined;
    }
  }
}

function wrong(): Refusal {
  return new Refusal("the map of a sparse file is wrong", {
    hint: "Pack it again, without sparse files: bsdtar takes --no-read-sparse.",
  });
}
