import { type AwsError, isRefusal } from "../../aws/errors.ts";
import type { ObjectDetails, S3, StoredObject } from "../../aws/s3.ts";
import { type S3Address, s3Uri } from "../../contract/addresses.ts";
import type { ModelRoom } from "../../contract/instances.ts";
import { MlcliError } from "../../errors.ts";
import { rangesOf } from "../download/fetch_object.ts";
import type { Note } from "../in_parallel.ts";
import { checkBucket } from "./data.ts";

export type ArchiveAccess = Pick<
  S3,
  "region" | "bucketRegion" | "listObjects" | "describeObject" | "getBytes"
>;

/** How much of an archive is read, in bytes: compressed, and unpacked. */
export interface ReadingLimits {
  readonly compressed: number;
  readonly unpacked: number;
}

/**
 * A few seconds each: nobody should wait for gigabytes, and gzip can unpack one byte to a thousand.
 */
const LIMITS: ReadingLimits = { compressed: 64 * 1024 ** 2, unpacked: 512 * 1024 ** 2 };

/** How many ranges are being fetched, or in memory. */
const AT_ONCE = 2;

class ReadEnough extends MlcliError {}

/**
 * Requires that SageMaker finds an archive, and can unpack it: in the endpoint's region, compressed
 * with gzip, a tar with files, of a size that fits. A large one is read in part.
 *
 * @param room on the disk that it is unpacked on (`roomFor` in `contract/instances.ts`).
 * @param note gets what could not be checked, and what looks like a mistake.
 * @param user what needs it.
 * @returns `undefined` where it may not be described.
 * @throws MlcliError
 */
export async function checkArchive(
  s3: ArchiveAccess,
  address: S3Address,
  room: ModelRoom,
  note: Note,
  signal: AbortSignal,
  limits: ReadingLimits = LIMITS,
  user = "the endpoint",
): Promise<ObjectDetails | undefined> {
  requireObject(address);
  // A bucket that may not be described may still be read; otherwise there is a note below.
  await checkBucket(s3, address, () => {}, user);
  let details: ObjectDetails;
  try {
    details = await s3.describeObject(address);
    await readArchive(s3, address, details, room, note, signal, limits);
  } catch (error) {
    if (isRefusal(error, "not found")) throw await missingArchiveError(s3, address, error);
    if (!isRefusal(error, "denied")) throw error;
    note(`Cannot check the model archive ${s3Uri(address)}: ${error.message}`);
    return undefined;
  }
  if (!/\.(tar\.gz|tgz)$/.test(address.key)) {
    note(`${s3Uri(address)} does not end with .tar.gz, which SageMaker expects`);
  }
  return details;
}

/**
 * Requires that there is something below a prefix, and that it fits.
 *
 * @param address its key ends with `/`.
 * @param note gets what could not be checked.
 * @throws MlcliError
 */
export async function checkPrefix(
  s3: ArchiveAccess,
  address: S3Address,
  room: ModelRoom,
  note: Note,
): Promise<void> {
  await checkBucket(s3, address, () => {}, "the endpoint");
  const keys: string[] = [];
  let bytes = 0;
  try {
    for await (const page of s3.listObjects(address.bucket, address.key)) {
      for (const { key, size } of page) {
        bytes += size;
        if (keys.length < 2) keys.push(key);
      }
      if (room.bytes !== undefined && bytes > room.bytes) {
        throw noRoomFor(s3Uri(address), room.bytes, room);
      }
    }
  } catch (error) {
    if (!isRefusal(error, "denied")) throw error;
    return note(`Cannot check that ${s3Uri(address)} contains a model: ${error.message}`);
  }
  const [only = "", ...others] = keys;
  if (others.length === 0 && only.endsWith(".tar.gz")) throw directoryError(address, only);
  if (bytes > 0) return;
  throw new MlcliError(`No model found in ${s3Uri(address)}`, { hint: SUCH_AS });
}

const SUCH_AS = "Use the S3 URI that mlcli train prints, such as " +
  "s3://my-bucket/churn/output/JOB/output/model.tar.gz";

/** @throws MlcliError for an address that is a directory's. */
function requireObject(address: S3Address): void {
  if (address.key !== "" && !address.key.endsWith("/")) return;
  throw new MlcliError(`Expected a model archive but got a directory: ${s3Uri(address)}`, {
    hint: SUCH_AS,
  });
}

async function missingArchiveError(
  s3: ArchiveAccess,
  address: S3Address,
  cause: AwsError,
): Promise<MlcliError> {
  const found = await archiveBelow(s3, address).catch(() => undefined);
  if (found === undefined) {
    return new MlcliError(`Model archive not found: ${s3Uri(address)}`, { hint: SUCH_AS, cause });
  }
  return directoryError(address, found, cause);
}

/** @param found the key of an archive, or of something else, that lies there. */
function directoryError(address: S3Address, found: string, cause?: AwsError): MlcliError {
  const key = address.key.replace(/\/?$/, "/");
  const first = s3Uri({ ...address, key: found });
  const shown = s3Uri({ ...address, key });
  return new MlcliError(`Expected a model archive but got a directory: ${shown}`, {
    hint: found.endsWith(".tar.gz")
      ? `Use the archive in this directory: ${first}`
      : `To deploy the files without an archive (${first}, ...), end the S3 URI with a slash. ` +
        "To pack the files: tar -czf model.tar.gz -C DIRECTORY .",
    cause,
  });
}

/** The key of an archive below the address, or else of any object there. */
async function archiveBelow(
  s3: ArchiveAccess,
  { bucket, key }: S3Address,
): Promise<string | undefined> {
  for await (const page of s3.listObjects(bucket, `${key}/`, 100)) {
    const keys = page.map((object) => object.key);
    return keys.find((one) => one.endsWith(".tar.gz")) ?? keys[0];
  }
}

/** @throws MlcliError where it cannot be unpacked; AwsError. */
async function readArchive(
  s3: ArchiveAccess,
  address: S3Address,
  details: Pick<StoredObject, "size" | "etag">,
  room: ModelRoom,
  note: Note,
  signal: AbortSignal,
  limits: ReadingLimits,
): Promise<void> {
  // Loaded only here: they bring libraries.
  const [{ entriesOf, TooLarge }, { ArchiveCheck, Refusal, tooLargeError }] = await Promise.all([
    import("../../archive/reader.ts"),
    import("../../archive/entries.ts"),
  ]);
  const check = new ArchiveCheck(room);
  let isWhole = true;
  try {
    if (room.bytes !== undefined && details.size > room.bytes) {
      throw tooLargeError(room.bytes, room.words, room.hint);
    }
    const bytes = upTo(rangesOf(s3, address, details, AT_ONCE), limits.compressed);
    for await (const { header, content } of entriesOf(bytes, limits.unpacked, signal)) {
      check.add(header);
      for await (const _ of content) signal.throwIfAborted();
    }
  } catch (error) {
    isWhole = !(error instanceof ReadEnough || error instanceof TooLarge);
    if (isWhole) throw error instanceof Refusal ? cannotUnpack(s3Uri(address), error) : error;
  }
  if (isWhole && check.files === 0) throw emptyArchiveError(address);
  for (const text of check.warnings(s3Uri(address))) note(text);
  if (!isWhole) {
    note(`Checked only the beginning of ${s3Uri(address)}, because it is large`);
  }
}

/** Passes bytes on; fails with `ReadEnough` after so many. */
async function* upTo(
  pieces: AsyncGenerator<Uint8Array, void, void>,
  most: number,
): AsyncGenerator<Uint8Array, void, void> {
  let count = 0;
  for await (const bytes of pieces) {
    if (count >= most) throw new ReadEnough("");
    count += bytes.length;
    yield bytes;
  }
}

/** The error for a model that holds more than `bytes`, which is what there is room for. */
export function noRoomFor(
  shown: string,
  bytes: number,
  { words, hint }: Pick<ModelRoom, "words" | "hint">,
): MlcliError {
  const gigabytes = Math.round(bytes / 1024 ** 3);
  return new MlcliError(`${shown} is larger than the ${gigabytes} GB disk of ${words}`, { hint });
}

/** The most that an archive has besides the bytes of its files. */
export const FOR_HEADERS = 1024 ** 3;

/** @param shown the archive's path or address in messages. */
export function cannotUnpack(shown: string, cause: MlcliError): MlcliError {
  return new MlcliError(`SageMaker cannot unpack ${shown}: ${cause.message}`, {
    hint: cause.hint,
    cause,
  });
}

function emptyArchiveError(address: S3Address): MlcliError {
  return new MlcliError(`The archive contains no files: ${s3Uri(address)}`, {
    hint: "Change the training code so that it saves the model in /opt/ml/model",
  });
}
