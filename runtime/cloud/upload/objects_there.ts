/**
 * What lies where files are sent.
 *
 * @module
 */

import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { S3, StoredObject } from "../../aws/s3.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { compareKeys } from "./key_order.ts";

/**
 * The objects below the target in the order of their keys; none, or no more of them, where they may
 * not be listed or come in another order, and need not be known.
 *
 * @param deletes whether all of them have to be known.
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
        if (last !== undefined && compareKeys(last, object.key) >= 0) throw unordered();
        last = object.key;
        yield object;
      }
    }
  } catch (error) {
    if (deletes) throw error;
    if (isRefusal(error, "unordered")) {
      note(`Files that are there may be sent again: ${error.message}`);
    } else if (isRefusal(error, "denied")) {
      note(`All files are sent, since what is there may not be listed (${error.message})`);
    } else throw error;
  }
}

/** S3 lists in the order of keys; its directory buckets and some emulators do not. */
function unordered(): AwsError {
  return new AwsError(
    "unordered",
    "The platform does not list objects in the order of their keys",
    {
      hint: "So nothing was deleted. Send to a general purpose bucket, or without --delete.",
    },
  );
}
