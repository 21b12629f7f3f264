import { dirname } from "@std/path/dirname";
import { isPassing } from "../../aws/errors.ts";
import type { ObjectPlace, S3, StoredObject } from "../../aws/s3.ts";
import { fileErrorReason, isSystemError, type MlcliError } from "../../errors.ts";
import { writeAll } from "../../streams.ts";

/** Bytes of a range. */
const RANGE = 8 * 1024 ** 2;

const AT_ONCE = 6;

/** How often a range is asked for, each time with the SDK's own retries. */
const ATTEMPTS = 3;

/**
 * Fetches an object.
 *
 * @param file empty, and open for writing.
 * @param onBytes called with the bytes so far.
 * @throws AwsError, also where the object changes; Error of the system; Interrupted.
 */
export async function fetchObject(
  s3: Pick<S3, "getBytes">,
  place: ObjectPlace,
  details: Pick<StoredObject, "size" | "etag">,
  file: Deno.FsFile,
  onBytes: (bytes: number) => void,
  atOnce = AT_ONCE,
): Promise<void> {
  let done = 0;
  for await (const bytes of rangesOf(s3, place, details, atOnce)) {
    await writeAll(file, bytes);
    onBytes(done += bytes.length);
  }
}

/**
 * Writes a file that is not there yet. Explains errors of the system, such as a full disk.
 * @param explained makes the error.
 */
export async function writeFetched(
  path: string,
  explained: (reason: string, cause: unknown) => MlcliError,
  fetch: (file: Deno.FsFile) => Promise<void>,
): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    using file = await Deno.open(path, { write: true, createNew: true });
    await fetch(file);
  } catch (cause) {
    throw isSystemError(cause) ? explained(fileErrorReason(cause), cause) : cause;
  }
}

/**
 * The bytes of an object, fetched in ranges, a few at once. The ETag makes sure that all are of the same
 * object.
 *
 * @param atOnce how many ranges are being fetched, or in memory.
 * @throws AwsError, also where the object changes; Interrupted.
 */
export async function* rangesOf(
  s3: Pick<S3, "getBytes">,
  place: ObjectPlace,
  { size, etag }: Pick<StoredObject, "size" | "etag">,
  atOnce: number,
): AsyncGenerator<Uint8Array, void, void> {
  const coming: Promise<Uint8Array>[] = [];
  let asked = 0;
  const ask = (): void => {
    while (asked < size && coming.length < atOnce) {
      const first = asked;
      const last = Math.min(first + RANGE, size) - 1;
      const range = getRange(() => s3.getBytes(place, etag, first, last));
      // Awaited in its turn.
      range.catch(() => {});
      coming.push(range);
      asked = last + 1;
    }
  };
  try {
    for (ask(); coming.length > 0; ask()) yield await coming.shift()!;
  } finally {
    await Promise.allSettled(coming);
  }
}

async function getRange(get: () => Promise<Uint8Array>): Promise<Uint8Array> {
  for (let attempt = 1;; attempt++) {
    try {
      return await get();
    } catch (error) {
      if (!isPassing(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
