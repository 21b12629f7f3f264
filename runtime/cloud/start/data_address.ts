/**
 * How a job is told where its data lies.
 *
 * @module
 */

import { AwsError } from "../../aws/errors.ts";
import type { S3 } from "../../aws/s3.ts";
import { asDirectory, type S3Address } from "../../contract/addresses.ts";

/**
 * The address of a single object as it is, any other as a directory, with `/` at its end: SageMaker
 * matches what keys begin with as text, and `data/train` would mean `data/training-old/`, too.
 *
 * Where the bucket may not be listed, a name with an ending (`train.csv`) is an object's.
 */
export async function dataAddress(
  s3: Pick<S3, "listObjects">,
  address: S3Address,
): Promise<S3Address> {
  const { bucket, key } = address;
  if (key === "" || key.endsWith("/")) return address;
  return await isObject(s3, bucket, key) ? address : asDirectory(address);
}

async function isObject(
  s3: Pick<S3, "listObjects">,
  bucket: string,
  key: string,
): Promise<boolean> {
  try {
    // In the order of their keys: the shortest that begins like this comes first.
    for await (const [first] of s3.listObjects(bucket, key, 1)) return first?.key === key;
    return false;
  } catch (error) {
    // What stands in the way is told by who checks the data (`preflight/data.ts`).
    if (!(error instanceof AwsError)) throw error;
    return /\.\w+$/.test(key);
  }
}
