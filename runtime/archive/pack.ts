/**
 * Packs files as the archive of a model: the same files give the same bytes, so that what was sent
 * once need not be sent again.
 */

import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
import { passedThrough } from "./node_streams.ts";
import { type FileRules, FIXED_TIME, tarBytes, type TarEntry } from "./writer.ts";

export interface Packed {
  readonly bytes: number;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** Weights hardly get any smaller, and may be many gigabytes: the fastest. */
const LEVEL = 1;

/** Which system packed it, in the header of gzip (RFC 1952, `OS`): unknown, wherever it was. */
const OS_OFFSET = 9;
const OS_UNKNOWN = 255;

/** Whoever runs the server may read all, and run what could be run. */
const RULES = {
  mode: ({ mode }: Deno.FileInfo) => (mode ?? 0) & 0o111 ? 0o755 : 0o644,
  time: () => FIXED_TIME,
};

/**
 * Writes a `.tar.gz` of the entries, which are in the order that they are to have.
 *
 * @param target where nothing is.
 * @param errors what to say of files that cannot be packed.
 * @throws what `errors` says; Error of the system where it cannot be written; the signal's reason.
 */
export async function packTo(
  target: string,
  entries: readonly TarEntry[],
  errors: Omit<FileRules, "mode" | "time">,
  signal: AbortSignal,
): Promise<Packed> {
  const tar = tarBytes(inTurn(entries), { ...RULES, ...errors });
  const hash = createHash("sha256");
  let written = 0;
  using file = await Deno.open(target, { write: true, createNew: true, mode: 0o600 });
  for await (const bytes of passedThrough(createGzip({ level: LEVEL }), tar)) {
    signal.throwIfAborted();
    if (written <= OS_OFFSET && written + bytes.length > OS_OFFSET) {
      bytes[OS_OFFSET - written] = OS_UNKNOWN;
    }
    hash.update(bytes);
    written += bytes.length;
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await file.write(rest));
  }
  return { bytes: written, sha256: hash.digest("hex") };
}

async function* inTurn(entries: readonly TarEntry[]): AsyncGenerator<TarEntry, void, void> {
  yield* entries;
}
