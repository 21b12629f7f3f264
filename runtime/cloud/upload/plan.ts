import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { S3, StoredObject } from "../../aws/s3.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { compareKeys } from "../../contract/keys.ts";
import type { LocalFile } from "./files.ts";

/** A step: a file with the object of its key, if there is one, or an object without a file. */
export type Step =
  | { readonly kind: "file"; readonly file: LocalFile; readonly there: StoredObject | undefined }
  | { readonly kind: "extra"; readonly object: StoredObject };

/**
 * Merges two lists in the order of keys, local files and objects in S3, to steps.
 *
 * @param prefix of all keys.
 * @throws AwsError where an object's key does not have it.
 */
export async function* stepsOf(
  files: AsyncIterator<LocalFile>,
  objects: AsyncIterator<StoredObject>,
  prefix: string,
): AsyncGenerator<Step, void, void> {
  let file = await files.next();
  let object = await objects.next();
  requireBelow(prefix, object);
  while (!file.done || !object.done) {
    const order = file.done
      ? 1
      : object.done
      ? -1
      : compareKeys(prefix + file.value.name, object.value.key);
    if (order <= 0 && !file.done) {
      yield { kind: "file", file: file.value, there: order === 0 ? object.value! : undefined };
      file = await files.next();
    } else yield { kind: "extra", object: object.value! };
    if (order >= 0 && !object.done) {
      object = await objects.next();
      requireBelow(prefix, object);
    }
  }
}

/** An object outside of the prefix must not count as one without a file: it might be deleted. */
function requireBelow(prefix: string, object: IteratorResult<StoredObject>): void {
  if (object.done || object.value.key.startsWith(prefix)) return;
  throw new AwsError("failed", "S3 listed objects outside the requested prefix", {
    hint: "Check AWS_ENDPOINT_URL: an S3 emulator might not support prefixes",
  });
}

/** A file as it was when it was looked at. */
export interface FileState {
  /** In bytes. */
  readonly size: number;
  /** In ms since 1970; undefined where the system does not know. */
  readonly modified: number | undefined;
}

/**
 * Whether an object has a file's content: the same size, and not older, as `aws s3 sync` decides. S3's
 * times are whole seconds: in the same second it is `unclear`, and the content has to be compared.
 */
export function likeness(
  { size, modified }: FileState,
  there: Pick<StoredObject, "size" | "lastModified"> | undefined,
): "same" | "different" | "unclear" {
  if (there === undefined || there.size !== size || modified === undefined) return "different";
  const second = (time: number): number => Math.floor(time / 1000);
  const age = second(there.lastModified.getTime()) - second(modified);
  return age > 0 ? "same" : age < 0 ? "different" : "unclear";
}

/** Up to this size (bytes), a file is sent by one request. */
export const PART_SIZE = 8 * 1024 ** 2;

/** Of one upload (S3 user guide, "Amazon S3 multipart upload limits"). */
const MOST_PARTS = 10_000;

/** A part is 5 GiB at most (the same page). */
const LARGEST_FILE = MOST_PARTS * 5 * 1024 ** 3;

/** Whether a file is too large for any upload: a sparse file may seem to have any size. */
export function isTooLarge(size: number): boolean {
  return size > LARGEST_FILE;
}

/** Bytes of each part of a file but the last. */
export function partSizeOf(size: number): number {
  const least = Math.ceil(size / MOST_PARTS);
  const megabyte = 1024 ** 2;
  return Math.max(PART_SIZE, Math.ceil(least / megabyte) * megabyte);
}

/** How many parts a file is sent in; 0: by one request. */
export function partsOf(size: number): number {
  return size <= PART_SIZE ? 0 : Math.ceil(size / partSizeOf(size));
}

/** The most that one request deletes. */
export const MOST_AT_ONCE = 1_000;

/** How often each operation of S3 would be asked for. */
export type Calls = Readonly<Record<string, number>>;

/** The operations that send a file of this size. */
export function callsOf(size: number): Calls {
  const parts = partsOf(size);
  return parts === 0
    ? { PutObject: 1 }
    : { CreateMultipartUpload: 1, UploadPart: parts, CompleteMultipartUpload: 1 };
}

export function deletingCalls(count: number): Calls {
  return count === 0 ? {} : { DeleteObjects: Math.ceil(count / MOST_AT_ONCE) };
}

/**
 * The objects below the target, in the order of their keys. Where they may not be listed, or come in
 * another order, the list ends there with a note.
 *
 * @param deletes then all of them have to be known, and that is an error.
 * @throws AwsError
 */
export async function* objectsBelow(
  s3: S3,
  { bucket, key }: S3Address,
  deletes: boolean,
  note: (text: string) => void,
): AsyncGenerator<StoredObject, void, void> {
  try {
    let last: string | undefined;
    for await (const page of s3.listObjects(bucket, key)) {
      for (const object of page) {
        if (last !== undefined && compareKeys(last, object.key) >= 0) throw unorderedError();
        last = object.key;
        yield object;
      }
    }
  } catch (error) {
    if (deletes) throw error;
    if (isRefusal(error, "unordered")) {
      note(`Unchanged files might be uploaded again: ${error.message}`);
    } else if (isRefusal(error, "denied")) {
      note(`Uploading all files, because the target cannot be listed: ${error.message}`);
    } else throw error;
  }
}

/** S3 lists in the order of keys; its directory buckets and some emulators do not. */
function unorderedError(): AwsError {
  return new AwsError("unordered", "S3 did not list the objects in the order of their keys", {
    hint: "Nothing was deleted. Use a general purpose bucket, or omit --delete.",
  });
}
