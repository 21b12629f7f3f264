import { isJunk } from "../../app/junk.ts";
import { isPlaceholder } from "../../app/layout.ts";
import { shellWord } from "../../app/typed_path.ts";
import type { Aws } from "../../aws/aws.ts";
import { AwsError, isRefusal } from "../../aws/errors.ts";
import type { S3 } from "../../aws/s3.ts";
import { asDirectory, type S3Address, s3Uri } from "../../contract/addresses.ts";
import { type Message, warning } from "../../messages.ts";
import { type Place, requireOwnBucket } from "../bucket_owner.ts";
import type { Note } from "../in_parallel.ts";

export type BucketAccess = Pick<S3, "region" | "bucketRegion" | "listObjects">;

/**
 * Requires that a job finds input: the bucket exists, in the job's region, and contains an object below the
 * address. Prints a note for each check without permission, and if some hosts get no data.
 *
 * @param hosts number of hosts that share the objects.
 * @throws AwsError
 */
export async function checkInput(
  s3: BucketAccess,
  address: S3Address,
  note: Note,
  hosts = 1,
): Promise<void> {
  // Listing takes the same permission.
  if (!await checkBucket(s3, address, note)) return;
  try {
    let objects = 0;
    // One page is nearly always enough: few places hold only placeholders.
    for await (const page of s3.listObjects(address.bucket, address.key, 100)) {
      objects += page.filter(({ key }) => isData(key, address.key)).length;
      if (objects >= hosts) return;
    }
    if (objects > 0) {
      const { message, hint } = idleHosts(objects, hosts);
      return note(`${s3Uri(address)}: ${message}. ${hint}`);
    }
  } catch (error) {
    if (!isRefusal(error, "denied")) throw error;
    return note(`Cannot check whether ${s3Uri(address)} contains data: ${error.message}`);
  }
  throw new AwsError("not found", `No data at ${s3Uri(address)}`, {
    hint: `Upload data: mlcli upload-data -i PATH --target-dir ${shellWord(s3Uri(address))}`,
  });
}

/** Returns the warning for fewer objects than hosts, if each object goes to one host. */
export function idleHosts(objects: number, hosts: number): Message {
  return warning(
    `Only ${objects} of ${hosts} instances will get data, because each object goes to one ` +
      "instance",
    "Split the data into more objects, or use fewer instances",
  );
}

/**
 * Requires that a job can write: the bucket exists, in the job's region, and belongs to the account of the
 * credentials if the app's file names it. (mlcli does not check whether the execution role can write to the
 * bucket.)
 *
 * @throws AwsError
 */
export async function checkPlace(
  aws: Pick<Aws, "s3" | "sts">,
  place: Place,
  note: Note,
): Promise<void> {
  // If the caller has to own the bucket, a failed check is an error below, not a note.
  await checkBucket(await aws.s3(), place.value, place.from === "file" ? () => {} : note);
  await requireOwnBucket(aws, place);
}

/**
 * Requires that a bucket is there, in the region of what needs it.
 *
 * @param user what needs it: `the job`.
 * @returns whether the bucket could be asked about.
 * @throws AwsError
 */
export async function checkBucket(
  s3: Pick<BucketAccess, "region" | "bucketRegion">,
  { bucket }: S3Address,
  note: Note,
  user = "the job",
): Promise<boolean> {
  let region: string | undefined;
  try {
    region = await s3.bucketRegion(bucket);
  } catch (error) {
    if (isRefusal(error, "denied")) {
      note(`Cannot check the bucket ${bucket}: ${error.message}`);
      return false;
    }
    if (!isRefusal(error, "not found")) throw error;
    throw new AwsError("not found", `The bucket ${bucket} does not exist`, {
      hint: `Check its name, or create it: aws s3 mb s3://${bucket} --region ${s3.region.value}`,
      cause: error,
    });
  }
  if (region === undefined || region === s3.region.value) return true;
  throw new AwsError(
    "other",
    `The bucket ${bucket} is in ${region}, but ${user} runs in ${s3.region.value}`,
    { hint: `Use a bucket in ${s3.region.value}, or set --region ${region}` },
  );
}

/**
 * Whether a key is a file's that a job can use: not a directory marker, a placeholder or junk.
 *
 * @param prefix the address that the user named: what it names itself always counts.
 */
export function isData(key: string, prefix: string): boolean {
  const names = key.slice(prefix.length).split("/");
  return !key.endsWith("/") && !isPlaceholder(names.at(-1)!) && !names.some(isJunk);
}

/**
 * The address of a single object as it is, any other with `/` at its end: SageMaker compares only the
 * beginning of keys, and `data/train` would include `data/training-old/`.
 *
 * Where the bucket may not be listed, a name with an extension (`train.csv`) counts as an object.
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
    // Keys are listed in order: the shortest one comes first.
    for await (const [first] of s3.listObjects(bucket, key, 1)) return first?.key === key;
    return false;
  } catch (error) {
    // `checkInput` reports the error.
    if (!(error instanceof AwsError)) throw error;
    return /\.\w+$/.test(key);
  }
}
