/**
 * Sends a file: whole or not at all. One that changes meanwhile is no file that anybody had, and so
 * is not sent.
 *
 * @module
 */

import type { ObjectPlace, S3, UploadedPart } from "../../aws/s3.ts";
import type { Budget } from "./budget.ts";
import { Changed, infoOf, isUnchanged, open, read, stateOf } from "./file_state.ts";
import type { PartsNews } from "./left_behind.ts";
import { type FileState, PART_SIZE, partSizeOf, type Step } from "./plan.ts";

/** What sending needs. */
export interface Sending {
  readonly s3: S3;
  /** Where the files go: what is before their names in the keys is `key`. */
  readonly target: ObjectPlace;
  /** Of the bytes that are being sent. */
  readonly budget: Budget;
  /** Ends what tidies up (`lastMoment`). */
  readonly force: AbortSignal;
  /** Hears of parts on the platform that belong to no object. */
  readonly news: PartsNews;
}

/** What became of a file, and its size in bytes. */
export interface Sent {
  readonly isUnchanged: boolean;
  readonly bytes: number;
}

/**
 * Sends a file unless it is there.
 *
 * @param onPart told of the bytes of each part of a large file, when it has arrived.
 * @throws MlcliError, where it cannot be read or changes; AwsError.
 */
export async function send(
  { file, there }: Step & { readonly kind: "file" },
  sending: Sending,
  onPart: (bytes: number) => void,
): Promise<Sent> {
  const { target: { bucket, key } } = sending;
  const before = stateOf(file);
  if (await isUnchanged(file, before, there)) {
    return { isUnchanged: true, bytes: before.size };
  }
  const place = { bucket, key: key + file.name };
  // Its size is small, or it is read in pieces: nothing here takes noticeably long.
  using source = open(file);
  const state = infoOf(source.statSync());
  // Also the file of that name now: another one may have taken its place.
  const check = (): void => {
    const isSame = [infoOf(source.statSync()), stateOf(file)].every((now) =>
      now.size === state.size && now.modified === state.modified && now.id === state.id
    );
    if (!isSame) throw new Changed();
  };
  if (state.size <= PART_SIZE) await sendWhole(source, state, place, check, sending);
  else await sendParts(source, state, place, check, sending, onPart);
  check();
  return { isUnchanged: false, bytes: state.size };
}

async function sendWhole(
  source: Deno.FsFile,
  { size }: FileState,
  place: ObjectPlace,
  check: () => void,
  { s3, budget }: Sending,
): Promise<void> {
  using taken = await budget.take(size);
  await read(source, taken.bytes);
  check();
  await s3.putObject(place, taken.bytes);
}

async function sendParts(
  source: Deno.FsFile,
  { size }: FileState,
  place: ObjectPlace,
  check: () => void,
  { s3, budget, force, news }: Sending,
  onPart: (bytes: number) => void,
): Promise<void> {
  const upload = await s3.createUpload(place, force, news);
  const parts: Promise<UploadedPart>[] = [];
  const failure = new AbortController();
  try {
    const partSize = partSizeOf(size);
    for (let start = 0; start < size; start += partSize) {
      const length = Math.min(partSize, size - start);
      const taken = await budget.take(length);
      if (failure.signal.aborted) {
        taken[Symbol.dispose]();
        break;
      }
      // One after the other: a file has one place to read from.
      await read(source, taken.bytes).catch((error) => {
        taken[Symbol.dispose]();
        throw error;
      });
      const part = s3.uploadPart(upload, parts.length + 1, taken.bytes)
        .then((uploaded) => (onPart(length), uploaded))
        .finally(() => taken[Symbol.dispose]());
      parts.push(part);
      part.catch((error) => failure.abort(error));
    }
    const uploaded = await Promise.all(parts);
    check();
    await s3.completeUpload(upload, uploaded, size);
  } catch (error) {
    // Those that are on their way would arrive after it was aborted.
    await Promise.allSettled(parts);
    await s3.abortUpload(upload, force).catch(() => news.leftBehind(upload));
    throw error;
  }
}
