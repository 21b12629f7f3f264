/**
 * Whose a bucket is that only the app's configuration file names. Who wrote the repository could
 * name one of theirs, which takes data and models from anybody: so it has to be the caller's own. A
 * bucket that the user names may be anybody's.
 *
 * @module
 */

import { shellWord } from "../app/typed_path.ts";
import type { Aws } from "../aws/aws.ts";
import { AwsError, isRefusal } from "../aws/errors.ts";
import type { S3 } from "../aws/s3.ts";
import { type S3Address, s3Uri } from "../contract/s3_uri.ts";

/** What the configuration file names. */
export interface NamedByFile {
  readonly address: S3Address;
  /** `"s3_prefix" in churn.json` */
  readonly where: string;
  /** The option that names it in its place: `--target-dir`. */
  readonly flag: string;
}

/**
 * Requires that a bucket is the caller's own.
 *
 * @returns S3 with that condition on each request, and whether it is known that it is met: whoever
 * may not look at the bucket may still write to it, under the condition.
 * @throws AwsError where it is another's, or the caller's account cannot be found out.
 */
export async function ownBucket(
  aws: Pick<Aws, "s3" | "sts">,
  named: NamedByFile,
): Promise<{ readonly s3: S3; readonly isCertain: boolean }> {
  const anybodys = await aws.s3();
  const account = await accountOf(aws, named);
  const s3 = anybodys.ownedBy(account);
  const { bucket } = named.address;
  const [isOwn, isThere] = await Promise.all([mayAsk(s3, bucket), mayAsk(anybodys, bucket)]);
  if (isOwn) return { s3, isCertain: true };
  if (!isThere) return { s3, isCertain: false };
  throw new AwsError(
    "denied",
    `The bucket ${bucket} belongs to another account than yours (${account}); ` +
      `it is ${named.where} that names it`,
    { hint: byYourself(named) },
  );
}

/**
 * Requires that a bucket is the caller's own, where somebody else writes to it: SageMaker does not
 * know that condition.
 *
 * @throws AwsError also where it is not known whose it is.
 */
export async function requireOwnBucket(
  aws: Pick<Aws, "s3" | "sts">,
  named: NamedByFile,
): Promise<void> {
  if ((await ownBucket(aws, named)).isCertain) return;
  throw new AwsError(
    "denied",
    `Whose the bucket ${named.address.bucket} is cannot be found out; it is ${named.where} that ` +
      "names it",
    { hint: `It takes the permission s3:ListBucket. ${byYourself(named)}` },
  );
}

async function accountOf(aws: Pick<Aws, "sts">, named: NamedByFile): Promise<string> {
  try {
    return (await (await aws.sts()).identity()).account;
  } catch (error) {
    // Without credentials nothing else works, either.
    if (!(error instanceof AwsError) || error.refusal === "credentials") throw error;
    throw new AwsError(
      error.refusal,
      `Cannot find out whether the bucket ${named.address.bucket} is yours: ${error.message}`,
      {
        hint: `It is ${named.where} that names it. ${byYourself(named)}`,
        quote: error.quote,
        cause: error,
      },
    );
  }
}

function byYourself({ address, flag }: NamedByFile): string {
  return `If you trust it, name it yourself: ${flag} ${shellWord(s3Uri(address))}`;
}

/** @throws AwsError for all but a denial. */
async function mayAsk(s3: S3, bucket: string): Promise<boolean> {
  try {
    await s3.bucketRegion(bucket);
    return true;
  } catch (error) {
    if (isRefusal(error, "denied")) return false;
    throw error;
  }
}
