/**
 * Amazon S3.
 *
 * @module
 */

import { ListObjectsV2Command, S3Client } from "./sdk/s3.ts";
import type { AwsSession } from "./session.ts";
import type { Setting } from "./settings.ts";

/** An object as a list shows it. */
export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly lastModified: Date;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface S3 {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** Pages of the objects whose keys begin like this, in the order of their keys. */
  listObjects(bucket: string, prefix: string): AsyncGenerator<readonly StoredObject[]>;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openS3(session: AwsSession): Promise<S3> {
  const client = new S3Client({ ...session.clientConfiguration(), followRegionRedirects: true });
  const region = await session.regionOf(client);
  const options = session.requestOptions;
  return {
    region,
    async *listObjects(bucket, prefix) {
      let token: string | undefined;
      do {
        const page = await session.send(
          "s3:ListBucket",
          `bucket ${bucket}`,
          region,
          () =>
            client.send(
              new ListObjectsV2Command({
                Bucket: bucket,
                Prefix: prefix,
                ContinuationToken: token,
              }),
              options,
            ),
        );
        yield (page.Contents ?? []).map(({ Key, Size, LastModified }) => ({
          key: Key ?? "",
          size: Size ?? 0,
          lastModified: LastModified ?? new Date(0),
        }));
        token = page.NextContinuationToken;
      } while (token);
    },
  };
}
