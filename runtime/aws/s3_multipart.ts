/**
 * Objects that come to Amazon S3 in parts.
 *
 * @module
 */

import { strangeAnswer } from "./explanations.ts";
import { isRefusal } from "./errors.ts";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
} from "./sdk/s3.ts";
import type { Asking } from "./session.ts";

/** Where an object lies. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

/** An object that is coming in parts. */
export interface Upload extends ObjectPlace {
  readonly id: string;
}

/** A part that has arrived. */
export interface UploadedPart {
  /** From 1 on. */
  readonly number: number;
  readonly etag: string;
  /** As the service computed it, where it did. */
  readonly crc32: string | undefined;
}

/** What names a bucket in a request, with the condition of whose it is. */
export type BucketInput = (
  bucket: string,
) => { readonly Bucket: string; readonly ExpectedBucketOwner?: string };

/** What mlcli asks about them. Each throws an `AwsError`, or `Interrupted`. */
export interface Multipart {
  /**
   * Begins one. It is not cut off by Ctrl-C, since then nobody would know which one to abort.
   *
   * @param force cuts it off.
   */
  createUpload(place: ObjectPlace, force: AbortSignal): Promise<Upload>;
  uploadPart(upload: Upload, number: number, bytes: Uint8Array): Promise<UploadedPart>;
  /** Makes the object of its parts, in their order. `size`: of all of them, in bytes. */
  completeUpload(upload: Upload, parts: readonly UploadedPart[], size: number): Promise<void>;
  /**
   * Takes back what has arrived. Ctrl-C does not cut it off; one that is not there any more counts
   * as aborted.
   */
  abortUpload(upload: Upload, force: AbortSignal): Promise<void>;
}

/**
 * Uploads, by a client of S3.
 * @param bucketOf what names a bucket in a request.
 */
export function multipartOf(
  { client, session, region }: Asking<S3Client>,
  bucketOf: BucketInput,
): Multipart {
  const options = session.requestOptions;
  const inputOf = ({ bucket, key }: ObjectPlace) => ({ ...bucketOf(bucket), Key: key });
  const ofUpload = (upload: Upload) => ({ ...inputOf(upload), UploadId: upload.id });
  const send = <Answer>(
    action: string,
    { bucket, key }: ObjectPlace,
    request: () => Promise<Answer>,
  ): Promise<Answer> => session.send(action, `s3://${bucket}/${key}`, region, request);

  async function abortUpload(upload: Upload, force: AbortSignal): Promise<void> {
    await send("s3:AbortMultipartUpload", upload, async () => {
      try {
        await client.send(new AbortMultipartUploadCommand(ofUpload(upload)), {
          abortSignal: force,
        });
      } catch (error) {
        if ((error as Error).name !== "NoSuchUpload") throw error;
      }
    });
  }

  /**
   * Aborts what a first attempt began whose answer was lost. Without the permission to look for it,
   * it stays: it holds nothing.
   */
  async function abortLost(upload: Upload, since: Date, force: AbortSignal): Promise<void> {
    const { Uploads = [] } = await send("s3:ListBucketMultipartUploads", upload, () =>
      client.send(
        new ListMultipartUploadsCommand({ ...bucketOf(upload.bucket), Prefix: upload.key }),
        { abortSignal: force },
      ));
    for (const { Key, UploadId, Initiated } of Uploads) {
      // The service counts in seconds.
      const isOfNow = (Initiated?.getTime() ?? 0) >= since.getTime() - 1000;
      if (Key !== upload.key || !UploadId || UploadId === upload.id || !isOfNow) continue;
      await abortUpload({ ...upload, id: UploadId }, force);
    }
  }

  async function isComplete(upload: Upload, size: number): Promise<boolean> {
    try {
      const { ContentLength, ETag } = await client.send(
        new HeadObjectCommand(inputOf(upload)),
        options,
      );
      return ContentLength === size && /-\d+"?$/.test(ETag ?? "");
    } catch {
      return false;
    }
  }

  return {
    async createUpload(place, force) {
      const since = new Date();
      // Each part comes with its checksum, unless the user wants none; all of one kind.
      const checksums = await client.config.requestChecksumCalculation();
      const { UploadId, $metadata } = await send(
        "s3:PutObject",
        place,
        () =>
          client.send(
            new CreateMultipartUploadCommand({
              ...inputOf(place),
              ChecksumAlgorithm: checksums === "WHEN_SUPPORTED" ? "CRC32" : undefined,
            }),
            { abortSignal: force },
          ),
      );
      if (!UploadId) throw strangeAnswer($metadata.httpStatusCode);
      const upload = { ...place, id: UploadId };
      if (($metadata.attempts ?? 1) > 1) await abortLost(upload, since, force).catch(() => {});
      return upload;
    },
    async uploadPart(upload, number, bytes) {
      const { ETag, ChecksumCRC32, $metadata } = await send(
        "s3:PutObject",
        upload,
        () =>
          client.send(
            new UploadPartCommand({ ...ofUpload(upload), PartNumber: number, Body: bytes }),
            options,
          ),
      );
      if (!ETag) throw strangeAnswer($metadata.httpStatusCode);
      return { number, etag: ETag, crc32: ChecksumCRC32 };
    },
    async completeUpload(upload, parts, size) {
      try {
        const { ETag, $metadata } = await send("s3:PutObject", upload, () =>
          client.send(
            new CompleteMultipartUploadCommand({
              ...ofUpload(upload),
              MultipartUpload: {
                Parts: parts.map(({ number, etag, crc32 }) => ({
                  PartNumber: number,
                  ETag: etag,
                  ChecksumCRC32: crc32,
                })),
              },
            }),
            options,
          ));
        if (!ETag) throw strangeAnswer($metadata.httpStatusCode);
      } catch (error) {
        // When a retry finds no upload, the first attempt has succeeded, if the object is there.
        if (!(isRefusal(error, "not found") && await isComplete(upload, size))) throw error;
      }
    },
    abortUpload,
  };
}
