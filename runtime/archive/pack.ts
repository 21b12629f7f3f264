/**
 * Packs files as the archive of a model, or of code: the same files give the same bytes, so that what was
 * sent once need not be sent again.
 */

import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
import { joined, writeAll } from "../streams.ts";
import { passedThrough } from "./node_streams.ts";
import { type FileRules, FIXED_TIME, tarBytes, type TarEntry } from "./writer.ts";

type ContentEntry = Extract<TarEntry, { readonly type: "content" }>;

export interface Packed {
  readonly bytes: number;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** The fastest: weights may be many gigabytes, and hardly get smaller. */
const LEVEL = 1;

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
  entries: readonly TarEntry[],
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

/** The bytes of a `.tar.gz` of the entries, in their order; errors as those of `packTo`. */
async function* packed(
  entries: readonly TarEntry[],
  errors: Omit<FileRules, "mode" | "time">,
): AsyncGenerator<Uint8Array, void, void> {
  const tar = tarBytes(entries, { ...RULES, ...errors });
  let written = 0;
  for await (const bytes of passedThrough(createGzip({ level: LEVEL }), tar)) {
    if (written <= OS_OFFSET && written + bytes.length > OS_OFFSET) {
      bytes[OS_OFFSET - written] = OS_UNKNOWN;
    }
    written += bytes.length;
    yield bytes;
  }
}

/** The whole `.tar.gz` of what is in memory. */
export async function packedContent(
  entries: readonly ContentEntry[],
): Promise<Uint8Array<ArrayBuffer>> {
  const unasked = (): never => {
    throw new Error("It is no file of the disk");
  };
  const errors = { gone: unasked, gotShorter: unasked, cannotRead: unasked };
  return joined(await Array.fromAsync(packed(entries, errors)));
}
