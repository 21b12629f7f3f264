import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { ConnectionError } from "./connection_error.ts";
import { isRefusal } from "./errors.ts";
import { mayBeCarriedOut } from "./retries.ts";
import type { Service } from "./session.ts";

export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

/** An object that is coming in parts. */
export interface Upload extends ObjectPlace {
  readonly id: string;
}

export interface OpenUpload extends Upload {
  readonly begun: Date;
}

/** Called for parts in S3 that belong to no object: they cost until they are removed. */
export interface LeftParts {
  /** An upload could not be aborted. */
  readonly notAborted: (upload: Upload) => void;
  /** There is another upload of the same key, neither complete nor aborted. */
  readonly earlier: (upload: OpenUpload) => void;
  /** An upload may have begun whose answer, with its id, was lost. */
  readonly unknown: (place: ObjectPlace) => void;
}

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
   * Begins an upload. Ctrl-C does not end the request, since the id would be lost, and the upload could
   * not be aborted. After a lost answer, it is looked for and aborted.
   *
   * @param force ends the request.
   * @param metadata of the object: names without `x-amz-meta-`, in lower case.
   */
  createUpload(
    place: ObjectPlace,
    force: AbortSignal,
    left: LeftParts,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<Upload>;
  uploadPart(upload: Upload, number: number, bytes: Uint8Array): Promise<UploadedPart>;
  /** Makes the object of its parts, in their order. `size`: of all of them, in bytes. */
  completeUpload(upload: Upload, parts: readonly UploadedPart[], size: number): Promise<void>;
  /**
   * Removes what has arrived. Ctrl-C does not end the request; an upload that is gone counts as aborted.
   */
  abortUpload(upload: Upload, force: AbortSignal): Promise<void>;
}

export function subjectOf({ bucket, key }: ObjectPlace): string {
  return `s3://${bucket}/${key}`;
}

/** @param withChecksums whether each part is sent with a checksum. */
export function multipartOf(
  { ask, signal }: Service,
  withChecksums: boolean,
  bucketOf: BucketInput,
): Multipart {
  const objectOf = ({ bucket, key }: ObjectPlace) => ({ ...bucketOf(bucket), Key: key });
  const uploadOf = (upload: Upload) => ({ ...objectOf(upload), UploadId: upload.id });

  async function abortUpload(upload: Upload, abortSignal: AbortSignal): Promise<void> {
    const command = new AbortMultipartUploadCommand(uploadOf(upload));
    let isGone = false;
    const onError = (error: unknown): unknown => {
      isGone = (error as Error).name === "NoSuchUpload";
      return error;
    };
    await ask(command, subjectOf(upload), [], { abortSignal, onError }).catch((error) => {
      if (!isGone) throw error;
    });
  }

  /**
   * Lists the other uploads of a key. After a lost answer, a new one is aborted, since it may be ours. All
   * others are reported: somebody else's, or those of a program that was killed.
   *
   * @param own the upload that goes on.
   * @param since when it was requested.
   */
  async function lookAtOthers(
    place: ObjectPlace,
    { own, since, isAnswerLost }: {
      readonly own: string | undefined;
      readonly since: Date;
      readonly isAnswerLost: boolean;
    },
    abortSignal: AbortSignal,
    left: LeftParts,
  ): Promise<void> {
    const { bucket, key } = place;
    const command = new ListMultipartUploadsCommand({ ...bucketOf(bucket), Prefix: key });
    const { Uploads = [] } = await ask(command, subjectOf(place), [], { abortSignal });
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Key !== key || !UploadId || UploadId === own) continue;
      const upload = { bucket, key, id: UploadId, begun: Initiated ?? new Date(0) };
      // The service's times are whole seconds.
      const isOfNow = upload.begun.getTime() >= since.getTime() - 1000;
      if (isOfNow && isAnswerLost) await abortUpload(upload, abortSignal);
      else left.earlier(upload);
    }
  }

  /** Aborts an upload that may have begun unnoticed, or reports that it may be there. */
  async function findLost(
    place: ObjectPlace,
    since: Date,
    failure: unknown,
    force: AbortSignal,
    left: LeftParts,
  ): Promise<void> {
    // A service that did not answer in time would not do so now.
    const isSilent = failure instanceof ConnectionError && failure.failure === "time limit";
    if (isSilent) return left.unknown(place);
    await lookAtOthers(place, { own: undefined, since, isAnswerLost: true }, force, left)
      .catch(() => left.unknown(place));
  }

  async function isComplete(upload: Upload, size: number): Promise<boolean> {
    try {
      const { ContentLength, ETag } = await ask(new HeadObjectCommand(objectOf(upload)));
      return ContentLength === size && /-\d+"?$/.test(ETag ?? "");
    } catch {
      return false;
    }
  }

  return {
    async createUpload(place, force, left, metadata) {
      const since = new Date();
      const command = new CreateMultipartUploadCommand({
        ...objectOf(place),
        ChecksumAlgorithm: withChecksums ? "CRC32" : undefined,
        Metadata: metadata,
      });
      let failure: unknown;
      const onError = (error: unknown) => failure = error;
      try {
        const options = { abortSignal: force, onError };
        const answer = await ask(command, subjectOf(place), ["UploadId"], options);
        const { UploadId: own, $metadata } = answer;
        const isAnswerLost = ($metadata.attempts ?? 1) > 1;
        // They may not be listed: new ones hold no data, so nothing is said.
        const until = isAnswerLost ? force : signal;
        await lookAtOthers(place, { own, since, isAnswerLost }, until, left).catch(() => {});
        return { ...place, id: own };
      } catch (error) {
        const isRefused = failure === undefined || isRefusal(error, "credentials");
        if (!isRefused && mayBeCarriedOut(failure)) {
          await findLost(place, since, failure, force, left);
        }
        throw error;
      }
    },
    async uploadPart(upload, number, bytes) {
      const command = new UploadPartCommand({
        ...uploadOf(upload),
        PartNumber: number,
        Body: bytes,
      });
      const { ETag, ChecksumCRC32 } = await ask(command, subjectOf(upload), ["ETag"]);
      return { number, etag: ETag, crc32: ChecksumCRC32 };
    },
    async completeUpload(upload, parts, size) {
      const command = new CompleteMultipartUploadCommand({
        ...uploadOf(upload),
        MultipartUpload: {
          Parts: parts.map(({ number, etag, crc32 }) => ({
            PartNumber: number,
            ETag: etag,
            ChecksumCRC32: crc32,
          })),
        },
      });
      try {
        await ask(command, subjectOf(upload), ["ETag"]);
      } catch (error) {
        // When a retry finds no upload, the first attempt has succeeded, if the object is there.
        if (!(isRefusal(error, "not found") && await isComplete(upload, size))) throw error;
      }
    },
    abortUpload,
  };
}
