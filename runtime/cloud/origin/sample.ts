/** Objects in S3 as the files that SageMaker makes of them, and a sample of them. */

import { ifAllowed } from "../../aws/errors.ts";
import type { ObjectPlace, S3, StoredObject } from "../../aws/s3.ts";
import { asDirectory, type S3Address, s3Uri } from "../../contract/addresses.ts";
import { MlcliError } from "../../errors.ts";
import type { GivenFile } from "../../image/scaffold.ts";
import type { Messages } from "../../messages.ts";
import { byteCount } from "../../quantities.ts";
import { fetchObject, writeFetched } from "../download/fetch_object.ts";
import { pathBelow } from "../download/object_path.ts";
import type { DataPlace } from "./draft.ts";

interface FoundObject extends StoredObject, ObjectPlace {
  /** Of its file, with slashes: relative to the address, or to the directory around. */
  readonly path: string;
}

/** Ten pages; of more, a sample is one of these. */
const MOST_OBJECTS = 10_000;

/** What lies at an address. @throws AwsError; MlcliError for a key that can be no file. */
export async function objectsAt(s3: S3, address: S3Address): Promise<readonly FoundObject[]> {
  const { bucket, key } = address;
  const [directory, around] = [asDirectory(address).key, key.slice(0, key.lastIndexOf("/") + 1)];
  const found: FoundObject[] = [];
  for await (const page of s3.listObjects(bucket, key)) {
    for (const object of page.filter(({ key }) => !key.endsWith("/"))) {
      const start = object.key.startsWith(directory) ? directory : around;
      found.push({ ...object, bucket, path: pathBelow(object.key, start, "/").join("/") });
    }
    if (found.length >= MOST_OBJECTS) break;
  }
  return found;
}

/** Writes an object into a file that is not there yet. */
export async function writeObject(s3: S3, object: FoundObject, place: string): Promise<void> {
  const failure = (reason: string, cause: unknown) =>
    new MlcliError(`Cannot write ${object.path}: ${reason}`, { cause });
  await writeFetched(place, failure, (file) => fetchObject(s3, object, object, file, () => {}));
}

/**
 * Whole objects of each place, the smallest first, while they fit. They are fetched when their files are made.
 *
 * @param size bytes of each place.
 * @throws as `objectsAt`.
 */
export async function sampleOf(
  s3: S3,
  places: readonly DataPlace[],
  size: number,
  messages: Messages,
): Promise<{ readonly files: readonly GivenFile[]; readonly left: readonly string[] }> {
  const files: GivenFile[] = [];
  const left: string[] = [];
  for (const { name, address, to } of places) {
    let why = "no objects found";
    const found = await ifAllowed(readable(s3, address), ({ message }) => why = message) ?? [];
    if (found.length === 0) left.push(`Cannot download ${name} (${s3Uri(address)}): ${why}`);
    if (found.length === 0) continue;
    let [sum, all, count] = [0, 0, 0];
    for (const object of found.toSorted((one, other) => one.size - other.size)) {
      all += object.size;
      if (all > size) continue;
      [sum, count] = [all, count + 1];
      const content = (place: string) => writeObject(s3, object, place);
      files.push({ path: `${to}/${object.path}`, content });
    }
    const of = found.length < MOST_OBJECTS ? "of" : "of the first";
    const bytes = `${byteCount(sum)} of ${byteCount(all)}`;
    messages.note(`${name}: ${count} ${of} ${found.length} objects, ${bytes}`);
  }
  return { files, left };
}

/** The objects, if the first of them may be read, too. */
async function readable(s3: S3, address: S3Address): Promise<readonly FoundObject[]> {
  const found = await objectsAt(s3, address);
  if (found[0] !== undefined) await s3.describeObject(found[0]);
  return found;
}
