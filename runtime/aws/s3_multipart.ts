/**
 * Objects that come to Amazon S3 in parts.
 *
 * @module
 */

import { s3Uri } from "../contract/addresses.ts";
import { strangeAnswer } from "./explanations.ts";
import { isRefusal } from "./errors.ts";
import { ConnectionError } from "./connection_error.ts";
import { isUnheard } from "./unheard.ts";
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

/** One that was found: when it began. */
export interface OpenUpload extends Upload {
  readonly begun: Date;
}

/** What is there besides the upload that is asked for, and costs as long as it is. */
export interface UploadNews {
  /** There is another one of the same key, neither complete nor aborted. */
  readonly earlier: (upload: OpenUpload) => void;
  /** One may have begun whose id nobody got to know. */
  readonly unknown: (place: ObjectPlace) => void;
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
   * Begins one. It is not cut off by Ctrl-C, since then nobody would know which one to abort. One
   * whose answer is lost is looked for, and aborted.
   *
   * @param force cuts it off.
   */
  createUpload(place: ObjectPlace, force: AbortSignal, news: UploadNews): Promise<Upload>;
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
    place: ObjectPlace,
    request: () => Promise<Answer>,
  ): Promise<Answer> => session.send(action, s3Uri(place), region, request);

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
   * Looks at the other uploads of a key: one of now is aborted where it may be what a lost answer was
   * about, and all others are told: somebody else's, or those of a program that was killed.
   *
   * @param own the one that goes on.
   * @param since when that was asked for.
   */
  async function lookAtOthers(
    { bucket, key }: ObjectPlace,
    { own, since, isAnswerLost }: {
      readonly own: string | undefined;
      readonly since: Date;
      readonly isAnswerLost: boolean;
    },
    until: AbortSignal,
    news: UploadNews,
  ): Promise<void> {
    const { Uploads = [] } = await send(
      "s3:ListBucketMultipartUploads",
      { bucket, key },
      () =>
        client.send(
          new ListMultipartUploadsCommand({ ...bucketOf(bucket), Prefix: key }),
          { abortSignal: until },
        ),
    );
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Key !== key || !UploadId || UploadId === own) continue;
      const upload = { bucket, key, id: UploadId, begun: Initiated ?? new Date(0) };
      // The service counts in seconds.
      const isOfNow = upload.begun.getTime() >= since.getTime() - 1000;
      if (isOfNow && isAnswerLost) await abortUpload(upload, until);
      else news.earlier(upload);
    }
  }

  /** Aborts what may have begun unnoticed; where it cannot be found, that is told. */
  async function findLost(
    place: ObjectPlace,
    since: Date,
    failure: unknown,
    force: AbortSignal,
    news: UploadNews,
  ): Promise<void> {
    // Who did not answer then takes as long to say nothing now.
    const isSilent = failure instanceof ConnectionError && failure.failure === "time limit";
    if (isSilent) return news.unknown(place);
    await lookAtOthers(place, { own: undefined, since, isAnswerLost: true }, force, news)
      .catch(() => news.unknown(place));
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
    async createUpload(place, force, news) {
      const since = new Date();
      // Each part comes with its checksum, unless the user wants none; all of one kind.
      const checksums = await client.config.requestChecksumCalculation();
      let failure: unknown;
      const request = () =>
        client.send(
          new CreateMultipartUploadCommand({
            ...inputOf(place),
            ChecksumAlgorithm: checksums === "WHEN_SUPPORTED" ? "CRC32" : undefined,
          }),
          { abortSignal: force },
        ).catch((error) => {
          failure = error;
          throw error;
        });
      try {
        const { UploadId: own, $metadata } = await send("s3:PutObject", place, request);
        if (!own) throw strangeAnswer($metadata.httpStatusCode);
        const isAnswerLost = ($metadata.attempts ?? 1) > 1;
        // Without the permission nobody gets to know of them: those of now hold nothing.
        const until = isAnswerLost ? force : options.abortSignal;
        await lookAtOthers(place, { own, since, isAnswerLost }, until, news).catch(() => {});
        return { ...place, id: own };
      } catch (error) {
        if (failure !== undefined && !isUnheard(failure) && !isRefusal(error, "credentials")) {
          await findLost(place, since, failure, force, news);
        }
        throw error;
      }
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
