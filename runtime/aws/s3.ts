import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { Connections, SdkRequest, SdkRequestOptions, SdkResponse } from "./connections.ts";
import { isRefusal } from "./errors.ts";
import { strangeAnswer } from "./explanations.ts";
import { pagesOf } from "./pages.ts";
import {
  type BucketInput,
  type Multipart,
  multipartOf,
  type ObjectPlace,
  subjectOf,
} from "./s3_multipart.ts";
import type { AwsSession, Service } from "./session.ts";
import type { Setting } from "../setting.ts";

export type { LeftParts, ObjectPlace, OpenUpload, Upload, UploadedPart } from "./s3_multipart.ts";

export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** To the second. */
  readonly lastModified: Date;
  /** Changes with the object. In quotes; for a single put, the MD5. */
  readonly etag: string;
}

export interface ObjectDetails extends Omit<StoredObject, "key"> {
  /** What was said of it when it was put. */
  readonly metadata: Readonly<Record<string, string>>;
  /** In base64; `undefined` where the object was put without it, or nobody asked for it. */
  readonly sha256: string | undefined;
}

export interface PutOptions {
  /** In base64: S3 compares it, and tells it again of the object. */
  readonly sha256?: string;
  /** The key of KMS that it is encrypted with; by default as the bucket says. */
  readonly kmsKey?: string | undefined;
}

export interface NotDeleted {
  readonly key: string;
  readonly reason: string;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface S3 extends Multipart {
  readonly region: Setting<string>;
  /**
   * The same, with the condition that a bucket belongs to this account: otherwise S3 refuses every
   * request ("denied"), whatever the owner allows. (S3 user guide, "Verifying bucket ownership with
   * bucket owner condition".)
   *
   * @param account its twelve digits.
   */
  ownedBy(account: string): S3;
  /** Pages of the objects with this prefix, in the order of their keys. */
  listObjects(
    bucket: string,
    prefix: string,
    pageSize?: number,
  ): AsyncGenerator<readonly StoredObject[]>;
  /** A bucket's region; `undefined` where S3 does not say it. "not found": there is no such bucket. */
  bucketRegion(bucket: string): Promise<string | undefined>;
  /** "not found": there is none. */
  describeObject(
    place: ObjectPlace,
    options?: { readonly checksum: boolean },
  ): Promise<ObjectDetails>;
  /**
   * Some bytes of an object, `last` included. "changed": it has another ETag now.
   */
  getBytes(place: ObjectPlace, etag: string, first: number, last: number): Promise<Uint8Array>;
  /** Puts an object: all of it, or none. */
  putObject(place: ObjectPlace, bytes: Uint8Array, options?: PutOptions): Promise<void>;
  /** Deletes up to 1,000 objects; those that are not there count as deleted. */
  deleteObjects(bucket: string, keys: readonly string[]): Promise<readonly NotDeleted[]>;
}

/** The most that a list gives at once: `MaxKeys`. */
const PAGE_SIZE = 1_000;

/** Permissions whose names differ from their operations'. */
const ACTIONS: Readonly<Record<string, string>> = {
  CompleteMultipartUpload: "s3:PutObject",
  CreateMultipartUpload: "s3:PutObject",
  DeleteObjects: "s3:DeleteObject",
  HeadBucket: "s3:ListBucket",
  HeadObject: "s3:GetObject",
  ListMultipartUploads: "s3:ListBucketMultipartUploads",
  ListObjectsV2: "s3:ListBucket",
  UploadPart: "s3:PutObject",
};

export async function openS3(session: AwsSession): Promise<S3> {
  const common = await session.clientConfiguration("S3");
  const client = new S3Client({
    ...common,
    requestHandler: streaming(common.requestHandler),
    followRegionRedirects: true,
    // Emulators have one address for all buckets.
    forcePathStyle: "endpoint" in common,
    // fetch does not support it.
    expectContinueHeader: false,
    // What is fetched has checksums of its own: gzip's.
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  leaveContentUnsigned(client);
  const withChecksums = await client.config.requestChecksumCalculation() === "WHEN_SUPPORTED";
  return s3Of(await session.service(client, "s3", ACTIONS), withChecksums, undefined);
}

/**
 * @param withChecksums whether each part of an object comes with its checksum.
 * @param owner account that buckets have to belong to.
 */
function s3Of(service: Service, withChecksums: boolean, owner: string | undefined): S3 {
  const { ask, region } = service;
  const bucketOf: BucketInput = (Bucket) => ({
    Bucket,
    ...owner === undefined ? {} : { ExpectedBucketOwner: owner },
  });
  const objectOf = ({ bucket, key }: ObjectPlace) => ({ ...bucketOf(bucket), Key: key });
  const regions = new Map<string, Promise<string | undefined>>();

  async function deleteTogether(
    bucket: string,
    keys: readonly string[],
  ): Promise<readonly NotDeleted[]> {
    // A quiet answer names no keys: any login page would count as success.
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: false };
    const command = new DeleteObjectsCommand({ ...bucketOf(bucket), Delete });
    const answer = await ask(command, `bucket ${bucket}`);
    const { Deleted = [], Errors = [] } = answer;
    if (Deleted.length + Errors.length === 0) throw strangeAnswer(answer);
    const left = Errors.map(({ Key = "", Code = "", Message = "" }) => ({
      key: Key,
      reason: Code === "AccessDenied" ? "AccessDeniedException: s3:DeleteObject" : Message || Code,
    }));
    const named = new Set([...Deleted, ...Errors].map(({ Key }) => Key));
    const unnamed = keys.filter((key) => !named.has(key));
    return [...left, ...unnamed.map((key) => ({ key, reason: "S3 did not confirm the deletion" }))];
  }

  async function deleteOne(place: ObjectPlace): Promise<readonly NotDeleted[]> {
    try {
      const answer = await ask(new DeleteObjectCommand(objectOf(place)), subjectOf(place));
      if (answer.$metadata.httpStatusCode !== 204) throw strangeAnswer(answer);
      return [];
    } catch (error) {
      // These refusals may be about this key alone.
      if (isRefusal(error, "denied") || isRefusal(error, "other")) {
        return [{ key: place.key, reason: error.message }];
      }
      throw error;
    }
  }

  return {
    region,
    ownedBy: (account) => s3Of(service, withChecksums, account),
    ...multipartOf(service, withChecksums, bucketOf),
    listObjects: (bucket, prefix, pageSize = PAGE_SIZE) =>
      pagesOf("objects", async (token) => {
        const command = new ListObjectsV2Command({
          ...bucketOf(bucket),
          Prefix: prefix,
          MaxKeys: pageSize,
          ContinuationToken: token,
          // XML cannot hold all characters of keys.
          EncodingType: "url",
        });
        // Without "Name", any XML (such as a network's login page) would count as an empty list.
        const answer = await ask(command, `bucket ${bucket}`, ["Name"]);
        const { Contents = [], EncodingType } = answer;
        const items = Contents.map((
          { Key = "", Size = 0, LastModified = new Date(0), ETag = "" },
        ) => ({
          key: EncodingType === "url" ? decoded(Key) : Key,
          size: Size,
          lastModified: LastModified,
          etag: ETag,
        }));
        return { items, token: answer.NextContinuationToken };
      }),
    bucketRegion(bucket) {
      // Several addresses of a job lie in one bucket.
      const known = regions.get(bucket);
      if (known) return known;
      const command = new HeadBucketCommand(bucketOf(bucket));
      const asked = ask(command, `bucket ${bucket}`, [], { onError: onHeadError })
        .then(({ BucketRegion }) => BucketRegion);
      regions.set(bucket, asked);
      return asked;
    },
    async describeObject(place, { checksum } = { checksum: false }) {
      const command = new HeadObjectCommand({
        ...objectOf(place),
        // For what is encrypted by a key, it takes a permission for that.
        ...checksum ? { ChecksumMode: "ENABLED" } as const : {},
      });
      const members = ["ContentLength", "ETag"] as const;
      const { ContentLength, ETag, LastModified = new Date(0), ChecksumSHA256, Metadata } =
        await ask(
          command,
          subjectOf(place),
          members,
          { onError: onHeadError },
        );
      return {
        size: ContentLength,
        etag: ETag,
        lastModified: LastModified,
        sha256: ChecksumSHA256,
        metadata: Metadata ?? {},
      };
    },
    async getBytes(place, etag, first, last) {
      const range = { Range: `bytes=${first}-${last}`, IfMatch: etag };
      const command = new GetObjectCommand({ ...objectOf(place), ...range });
      const answer = await ask(command, subjectOf(place));
      const bytes = await answer.Body?.transformToByteArray();
      // 200 instead of 206: the whole object, from a server without ranges.
      const isWhole = answer.$metadata.httpStatusCode === 200;
      const part = isWhole ? bytes?.subarray(first, last + 1) : bytes;
      if (part?.length !== last - first + 1) throw strangeAnswer(answer);
      return part;
    },
    async putObject(place, Body, { sha256, kmsKey } = {}) {
      const input = {
        ...objectOf(place),
        Body,
        ...sha256 === undefined ? {} : { ChecksumSHA256: sha256 },
        ...kmsKey === undefined
          ? {}
          : { ServerSideEncryption: "aws:kms", SSEKMSKeyId: kmsKey } as const,
      };
      // A network's login page may answer 200, too, but has no ETag.
      await ask(new PutObjectCommand(input), subjectOf(place), ["ETag"]);
    },
    async deleteObjects(bucket, keys) {
      const named = keys.filter((key) => !NOT_IN_XML.test(key));
      const left = named.length === 0 ? [] : [...await deleteTogether(bucket, named)];
      for (const key of keys) {
        if (NOT_IN_XML.test(key)) left.push(...await deleteOne({ bucket, key }));
      }
      return left;
    },
  };
}

/**
 * Characters that XML cannot hold, not even as `&#x1;` (XML 1.0, "Characters"). With one such key in a
 * request, S3 deletes none of them.
 */
// deno-lint-ignore no-control-regex
const NOT_IN_XML = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Decodes a key: as in forms, a space is a plus. */
function decoded(key: string): string {
  return decodeURIComponent(key.replaceAll("+", "%20"));
}

/** An answer to HEAD has no body with a reason: the status has to do. */
function onHeadError(thrown: unknown): unknown {
  const error = thrown as Error & { $metadata?: { httpStatusCode?: number } };
  const status = error.$metadata?.httpStatusCode;
  if (status === 404) error.name = "NotFound";
  if (status === 403) error.name = "AccessDenied";
  return error;
}

/** The request handler for S3's client, which expects objects as streams. */
function streaming(connections: Connections) {
  return {
    async handle(request: SdkRequest, options?: SdkRequestOptions) {
      const { response } = await connections.handle(request, options);
      if (isInOtherRegion(response)) return { response: { ...response, statusCode: 301 } };
      const isObject = request.method === "GET" && request.query?.["x-id"] === "GetObject" &&
        response.statusCode < 300;
      const { body } = response;
      return isObject && body instanceof Uint8Array
        ? { response: { ...response, body: ReadableStream.from([body]) } }
        : { response };
    },
    updateHttpClientConfig(): void {},
    httpHandlerConfigs: () => ({}),
  };
}

/**
 * Whether a new bucket is in another region: S3 then answers 307 (S3 user guide, "Request redirection"),
 * which botocore treats like 301 (`S3RegionRedirectorv2`), and the SDK does not.
 */
function isInOtherRegion({ statusCode, headers }: SdkResponse): boolean {
  return statusCode === 307 && headers["x-amz-bucket-region"] !== undefined;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/;

/**
 * Leaves the content's SHA-256 out of signatures where nobody can change the content on the way: over
 * TLS, and on this machine. As in AWS's own programs (`botocore`, `_should_sha256_sign_payload`) only
 * where the request has a signed checksum. The hash would take as long as everything else together.
 */
export function leaveContentUnsigned(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { protocol, hostname } = args.request as SdkRequest;
      const { headers } = args.request as { headers: Record<string, string> };
      const isSafe = protocol === "https:" || LOOPBACK.test(hostname);
      const hasChecksum = Object.keys(headers).some((name) => /^x-amz-checksum-crc/i.test(name));
      if (isSafe && hasChecksum) headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD";
      return next(args);
    },
    // Behind the one that adds the checksum, before the signature.
    { step: "build", priority: "low", name: "leaveContentUnsigned" },
  );
}
