/**
 * Deleting objects from Amazon S3.
 *
 * @module
 */

import { s3Uri } from "../contract/addresses.ts";
import { isRefusal } from "./errors.ts";
import { strangeAnswer } from "./explanations.ts";
import type { BucketInput } from "./s3_multipart.ts";
import { DeleteObjectCommand, DeleteObjectsCommand, type S3Client } from "./sdk/s3.ts";
import type { Asking } from "./session.ts";

/** An object that could not be deleted, and why. */
export interface NotDeleted {
  readonly key: string;
  readonly reason: string;
}

/** What mlcli asks about it. Throws an `AwsError`, or `Interrupted`. */
export interface Deletion {
  /** Deletes up to 1,000 objects; those that are not there count as deleted. */
  deleteObjects(bucket: string, keys: readonly string[]): Promise<readonly NotDeleted[]>;
}

/**
 * Characters that XML cannot hold, not even as `&#x1;` (XML 1.0, "Characters"): one key with such a
 * character, and S3 refuses to delete all that are named beside it.
 */
// deno-lint-ignore no-control-regex
const NOT_IN_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Deletions, by a client of S3. */
export function deletionOf(
  { client, session, region }: Asking<S3Client>,
  bucketOf: BucketInput,
): Deletion {
  const send = <Answer>(subject: string, request: () => Promise<Answer>): Promise<Answer> =>
    session.send("s3:DeleteObject", subject, region, request);
  const options = session.requestOptions;

  async function deleteTogether(
    bucket: string,
    keys: readonly string[],
  ): Promise<readonly NotDeleted[]> {
    // The quiet answer names no key: any page would say that all are deleted.
    const { Deleted = [], Errors = [], $metadata } = await send(
      `bucket ${bucket}`,
      () =>
        client.send(
          new DeleteObjectsCommand({
            ...bucketOf(bucket),
            Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: false },
          }),
          options,
        ),
    );
    if (Deleted.length + Errors.length === 0) throw strangeAnswer($metadata.httpStatusCode);
    const left = Errors.map(({ Key = "", Code = "", Message = "" }) => ({
      key: Key,
      reason: Code === "AccessDenied" ? "AccessDeniedException: s3:DeleteObject" : Message || Code,
    }));
    const named = new Set([...Deleted, ...Errors].map(({ Key }) => Key));
    const unnamed = keys.filter((key) => !named.has(key));
    return [...left, ...unnamed.map((key) => ({ key, reason: "The answer does not name it" }))];
  }

  async function deleteOne(bucket: string, key: string): Promise<readonly NotDeleted[]> {
    try {
      const { $metadata } = await send(
        s3Uri({ bucket, key }),
        () => client.send(new DeleteObjectCommand({ ...bucketOf(bucket), Key: key }), options),
      );
      if ($metadata.httpStatusCode !== 204) throw strangeAnswer($metadata.httpStatusCode);
      return [];
    } catch (error) {
      // Either may be so of this one alone.
      if (isRefusal(error, "denied") || isRefusal(error, "other")) {
        return [{ key, reason: error.message }];
      }
      throw error;
    }
  }

  return {
    async deleteObjects(bucket, keys) {
      const named = keys.filter((key) => !NOT_IN_XML.test(key));
      const left = named.length === 0 ? [] : [...await deleteTogether(bucket, named)];
      for (const key of keys) if (NOT_IN_XML.test(key)) left.push(...await deleteOne(bucket, key));
      return left;
    },
  };
}
