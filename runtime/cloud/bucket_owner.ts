/**
 * A bucket or a KMS key that only the app's configuration file names has to be in the caller's own account.
 * Otherwise the author of a repository could name their own bucket to get data and models, or their own
 * key to lock the results. What the user names may belong to anybody.
 */

import { shellWord } from "../app/typed_path.ts";
import type { Aws } from "../aws/aws.ts";
import { AwsError, isRefusal } from "../aws/errors.ts";
import type { S3 } from "../aws/s3.ts";
import { accountOf, type S3Address, s3Uri } from "../contract/addresses.ts";
import type { Setting } from "../setting.ts";

/** An address, and the option that sets it; `undefined`: no option sets it. */
export interface Place extends Setting<S3Address> {
  readonly flag: string | undefined;
}

/**
 * Requires that a bucket that only the file names is the caller's own.
 *
 * @returns S3 with that condition on each request, and whether the condition is known to be met. (A
 * caller who may not look at the bucket may still write to it.)
 * @throws AwsError where it is another's, or the caller's account cannot be found out.
 */
export async function ownBucket(
  aws: Pick<Aws, "s3" | "sts">,
  named: Place,
): Promise<{ readonly s3: S3; readonly isCertain: boolean }> {
  const unconditional = await aws.s3();
  if (named.from !== "file") return { s3: unconditional, isCertain: true };
  const { value: { bucket }, where } = named;
  const asked = { what: `bucket ${bucket}`, where, hint: byYourself(named) };
  const account = await callersAccount(aws, asked);
  const s3 = unconditional.ownedBy(account);
  const [isOwn, isThere] = await Promise.all([mayAsk(s3, bucket), mayAsk(unconditional, bucket)]);
  if (isOwn) return { s3, isCertain: true };
  if (!isThere) return { s3, isCertain: false };
  throw foreignOwnerError(asked, account);
}

/**
 * The same for a bucket that SageMaker writes to, which has no such condition on requests.
 *
 * @throws AwsError also where it is not known whose it is.
 */
export async function requireOwnBucket(
  aws: Pick<Aws, "s3" | "sts">,
  named: Place,
): Promise<void> {
  if ((await ownBucket(aws, named)).isCertain) return;
  throw new AwsError(
    "denied",
    `Cannot determine who owns bucket ${named.value.bucket} (set by ${named.where})`,
    { hint: `To let mlcli check, add the permission s3:ListBucket. ${byYourself(named)}` },
  );
}

/**
 * Requires that a key is the caller's own. "To specify a KMS key in a different AWS account, you must
 * use the key ARN or alias ARN" (API reference of KMS, DescribeKey).
 *
 * @throws AwsError where it is another's, or the caller's account cannot be found out.
 */
export async function requireOwnKey(
  aws: Pick<Aws, "sts">,
  key: Setting<string> | undefined,
): Promise<void> {
  if (key?.from !== "file" || !key.value.includes(":")) return;
  const hint = `If you trust the key, set it as an option: --kms-key ${shellWord(key.value)}`;
  const asked = { what: `KMS key ${key.value}`, where: key.where, hint };
  const account = await callersAccount(aws, asked);
  if (accountOf(key.value) !== account) throw foreignOwnerError(asked, account);
}

/** For messages: what may be another account's, what names it, and how to name it oneself. */
type Subject = Readonly<Record<"what" | "where" | "hint", string>>;

function foreignOwnerError({ what, where, hint }: Subject, account: string): AwsError {
  return new AwsError(
    "denied",
    `The ${what} (set by ${where}) does not belong to your account ${account}`,
    { hint },
  );
}

async function callersAccount(
  aws: Pick<Aws, "sts">,
  { what, where, hint }: Subject,
): Promise<string> {
  try {
    return (await (await aws.sts()).identity()).account;
  } catch (error) {
    // Without credentials nothing else works, either.
    if (!(error instanceof AwsError) || error.refusal === "credentials") throw error;
    throw new AwsError(
      error.refusal,
      `Cannot check that your account owns the ${what} (set by ${where}): ${error.message}`,
      { hint, quote: error.quote, cause: error },
    );
  }
}

function byYourself({ value, where, flag }: Place): string {
  if (flag === undefined) return `To use your own bucket, set ${where} to s3://BUCKET/PREFIX`;
  return `If you trust the bucket, set it as an option: ${flag} ${shellWord(s3Uri(value))}`;
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
