/**
 * Packs files as the archive of a model, or of code: the same files give the same bytes, so that what was
 * sent once need not be sent again.
 */

import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
import { joined, writeAll } from "../streams.ts";
import { passedThrough } from "./node_streams.ts";
import { type FileRules, FIXED_TIME, type PackedEntry, tarBytes, type TarEntry } from "./writer.ts";

type ContentEntry = Extract<TarEntry, { readonly type: "content" }>;

export interface Packed {
  readonly bytes: number;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** zlib's fastest level, and the one that only stores. */
const FASTEST = 1;
const STORED = 0;

/**
 * Of a large archive, what comes first is tried: weights hardly get smaller, at a tenth of the speed.
 * (Small files, such as a vocabulary, may come before them.)
 */
const TRIED_AFTER = 32 * 1024 ** 2;
const TRIED = 4 * 1024 ** 2;
const HARDLY_SMALLER = 0.95;

/** The byte of gzip's header that names the system (RFC 1952, `OS`); always `unknown` here. */
const OS_OFFSET = 9;
const OS_UNKNOWN = 255;

/** Any user can read all files, and run those that were executable. */
const RULES = {
  mode: ({ mode }: Deno.FileInfo) => (mode ?? 0) & 0o111 ? 0o755 : 0o644,
  time: () => FIXED_TIME,
};

/**
 * Writes a `.tar.gz` of the entries, in their order.
 *
 * @param target where nothing is.
 * @param errors makes the errors for files that cannot be packed.
 * @throws what `errors` makes; Error of the system where it cannot be written; the signal's reason.
 */
export async function packTo(
  target: string,
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  errors: Omit<FileRules, "mode" | "time">,
  signal: AbortSignal,
): Promise<Packed> {
  const hash = createHash("sha256");
  let written = 0;
  using file = await Deno.open(target, { write: true, createNew: true, mode: 0o600 });
  for await (const bytes of packed(entries, errors)) {
    signal.throwIfAborted();
    hash.update(bytes);
    written += bytes.length;
    await writeAll(file, bytes);
  }
  return { bytes: written, sha256: hash.digest("hex") };
}

/**
 * The bytes of a `.tar.gz` of the entries, in their order.
 *
 * @param isCompressed whether all is, also what hardly gets smaller.
 * @throws as `packTo`, and what `entries` throws.
 */
export async function* packed(
  entries: AsyncIterable<PackedEntry> | Iterable<PackedEntry>,
  errors: Omit<FileRules, "mode" | "time">,
  isCompressed = false,
): AsyncGenerator<Uint8Array, void, void> {
  const tar = tarBytes(entries, { ...RULES, ...errors });
  const first: Uint8Array[] = [];
  for (let size = 0; size < TRIED_AFTER && !isCompressed;) {
    const { value, done } = await tar.next();
    if (done) break;
    first.push(value);
    size += value.length;
  }
  const level = await levelFor(first);
  const all = async function* () {
    for (const bytes of first.splice(0)) yield bytes;
    yield* tar;
  };
  let written = 0;
  for await (const bytes of passedThrough(createGzip({ level }), all())) {
    if (written <= OS_OFFSET && written + bytes.length > OS_OFFSET) {
      bytes[OS_OFFSET - written] = OS_UNKNOWN;
    }
    written += bytes.length;
    yield bytes;
  }
}

async function levelFor(first: readonly Uint8Array[]): Promise<number> {
  const size = first.reduce((sum, { length }) => sum + length, 0);
  if (size < TRIED_AFTER) return FASTEST;
  const last: Uint8Array[] = [];
  let [before, after] = [0, 0];
  for (const bytes of first.toReversed()) {
    if (before >= TRIED) break;
    last.unshift(bytes);
    before += bytes.length;
  }
  const trial = passedThrough(createGzip({ level: FASTEST }), ReadableStream.from(last));
  for await (const { length } of trial) after += length;
  return after > HARDLY_SMALLER * before ? STORED : FASTEST;
}

/** What is in memory needs no errors of files. */
const unasked = (): never => {
  throw new Error("Not a file on disk");
};
export const NO_FILES: Omit<FileRules, "mode" | "time"> = {
  gone: unasked,
  gotShorter: unasked,
  cannotRead: unasked,
};

/** The whole `.tar.gz` of what is in memory. */
export async function packedContent(
  entries: readonly ContentEntry[],
): Promise<Uint8Array<ArrayBuffer>> {
  return joined(await Array.fromAsync(packed(entries, NO_FILES)));
}
