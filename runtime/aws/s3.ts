/**
 * Amazon S3.
 *
 * @module
 */

import { s3Uri } from "../contract/addresses.ts";
import type { Connections, SdkRequest, SdkRequestOptions, SdkResponse } from "./connections.ts";
import { strangeAnswer } from "./explanations.ts";
import { pagesOf } from "./pages.ts";
import { type Deletion, deletionOf } from "./s3_deletion.ts";
import { type BucketInput, type Multipart, multipartOf, type ObjectPlace } from "./s3_multipart.ts";
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "./sdk/s3.ts";
import type { Asking, AwsSession } from "./session.ts";
import type { Setting } from "./settings.ts";
import { leaveContentUnsigned } from "./unsigned_payload.ts";

export type { NotDeleted } from "./s3_deletion.ts";
export type { ObjectPlace, OpenUpload, Upload, UploadedPart, UploadNews } from "./s3_multipart.ts";

/** An object as a list shows it. */
export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** To the second. */
  readonly lastModified: Date;
  /** In quotes; the MD5 of what was put as it is. */
  readonly etag: string;
}

/** An object as it is asked for by itself. */
export interface ObjectDetails {
  /** In bytes. */
  readonly size: number;
  /** Another one when the object is another one. */
  readonly etag: string;
  /** To the second. */
  readonly lastModified: Date;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface S3 extends Multipart, Deletion {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /**
   * The same for buckets of this account alone: with any other's, S3 refuses every request
   * ("denied"), whatever that other one allows. (S3 user guide, "Verifying bucket ownership with
   * bucket owner condition".)
   *
   * @param account its twelve digits.
   */
  ownedBy(account: string): S3;
  /** Pages of the objects whose keys begin like this, in the order of their keys. */
  listObjects(
    bucket: string,
    prefix: string,
    pageSize?: number,
  ): AsyncGenerator<readonly StoredObject[]>;
  /** Where a bucket is; `undefined` where that is not said. "not found": there is none. */
  bucketRegion(bucket: string): Promise<string | undefined>;
  /** "not found": there is none. */
  describeObject(place: ObjectPlace): Promise<ObjectDetails>;
  /**
   * Some bytes of an object, the last included. "changed": it is not the one with this ETag any
   * more.
   */
  getBytes(place: ObjectPlace, etag: string, first: number, last: number): Promise<Uint8Array>;
  /** Puts an object: all of it, or none. */
  putObject(place: ObjectPlace, bytes: Uint8Array): Promise<void>;
}

/** The most that a list gives at once: `MaxKeys`. */
const PAGE_SIZE = 1_000;

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openS3(session: AwsSession): Promise<S3> {
  const common = await session.clientConfiguration("S3");
  const client = new S3Client({
    ...common,
    requestHandler: streaming(common.requestHandler),
    followRegionRedirects: true,
    // Emulators have one address for all buckets.
    forcePathStyle: "endpoint" in common,
    // fetch would wait for no answer to it.
    expectContinueHeader: false,
    // What is fetched has checksums of its own: gzip's.
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  leaveContentUnsigned(client);
  const region = await session.regionOf(client);
  return s3Of({ client, session, region }, undefined);
}

/** @param owner account that buckets have to belong to. */
function s3Of(asking: Asking<S3Client>, owner: string | undefined): S3 {
  const { client, session, region } = asking;
  const options = session.requestOptions;
  const bucketOf: BucketInput = (Bucket) => ({
    Bucket,
    ...owner === undefined ? {} : { ExpectedBucketOwner: owner },
  });
  const regions = new Map<string, Promise<string | undefined>>();
  const inputOf = ({ bucket, key }: ObjectPlace) => ({ ...bucketOf(bucket), Key: key });
  return {
    region,
    ownedBy: (account) => s3Of(asking, account),
    ...multipartOf(asking, bucketOf),
    ...deletionOf(asking, bucketOf),
    listObjects: (bucket, prefix, pageSize = PAGE_SIZE) =>
      pagesOf("objects", async (token) => {
        const { Name, Contents = [], EncodingType, NextContinuationToken, $metadata } =
          await session.send(
            "s3:ListBucket",
            `bucket ${bucket}`,
            region,
            () =>
              client.send(
                new ListObjectsV2Command({
                  ...bucketOf(bucket),
                  Prefix: prefix,
                  MaxKeys: pageSize,
                  ContinuationToken: token,
                  // XML cannot hold all that keys may.
                  EncodingType: "url",
                }),
                options,
              ),
          );
        // Any page that is XML, such as the login of a network, would be an empty list.
        if (Name === undefined) throw strangeAnswer($metadata.httpStatusCode);
        const items = Contents.map((
          { Key = "", Size = 0, LastModified = new Date(0), ETag = "" },
        ) => ({
          key: EncodingType === "url" ? decoded(Key) : Key,
          size: Size,
          lastModified: LastModified,
          etag: ETag,
        }));
        return { items, token: NextContinuationToken };
      }),
    bucketRegion(bucket) {
      // Several addresses of a job lie in one bucket.
      const known = regions.get(bucket);
      if (known) return known;
      const asked = session.send(
        "s3:ListBucket",
        `bucket ${bucket}`,
        region,
        () => client.send(new HeadBucketCommand(bucketOf(bucket)), options).catch(fromHead),
      ).then(({ BucketRegion }) => BucketRegion);
      regions.set(bucket, asked);
      return asked;
    },
    async describeObject(place) {
      const { ContentLength, ETag, LastModified, $metadata } = await session.send(
        "s3:GetObject",
        s3Uri(place),
        region,
        () => client.send(new HeadObjectCommand(inputOf(place)), options).catch(fromHead),
      );
      if (ContentLength === undefined || !ETag) throw strangeAnswer($metadata.httpStatusCode);
      return { size: ContentLength, etag: ETag, lastModified: LastModified ?? new Date(0) };
    },
    async getBytes(place, etag, first, last) {
      const { Body, $metadata } = await session.send(
        "s3:GetObject",
        s3Uri(place),
        region,
        () =>
          client.send(
            new GetObjectCommand({
              ...inputOf(place),
              Range: `bytes=${first}-${last}`,
              IfMatch: etag,
            }),
            options,
          ),
      );
      const bytes = await Body?.transformToByteArray();
      // Not 206: all of the object, from a server that knows no ranges.
      const part = $metadata.httpStatusCode === 200 ? bytes?.subarray(first, last + 1) : bytes;
      if (part?.length !== last - first + 1) throw strangeAnswer($metadata.httpStatusCode);
      return part;
    },
    async putObject(place, bytes) {
      const { ETag, $metadata } = await session.send(
        "s3:PutObject",
        s3Uri(place),
        region,
        () => client.send(new PutObjectCommand({ ...inputOf(place), Body: bytes }), options),
      );
      // The login of a network says 200, too.
      if (!ETag) throw strangeAnswer($metadata.httpStatusCode);
    },
  };
}

/** A key as it was before it was encoded for XML: as in forms, where a space is a plus. */
function decoded(key: string): string {
  return decodeURIComponent(key.replaceAll("+", "%20"));
}

/** The answer to a HEAD has no body, which would say why not: the status has to. */
function fromHead(error: Error & { $metadata?: { httpStatusCode?: number } }): never {
  const status = error.$metadata?.httpStatusCode;
  if (status === 404) error.name = "NotFound";
  if (status === 403) error.name = "AccessDenied";
  throw error;
}

/** What the SDK's client of S3 expects of a request handler: objects come as streams. */
function streaming(connections: Connections) {
  return {
    async handle(
      request: SdkRequest,
      options?: SdkRequestOptions,
    ) {
      const { response } = await connections.handle(request, options);
      if (isElsewhere(response)) return { response: { ...response, statusCode: 301 } };
      const isObject = request.method === "GET" && request.query?.["x-id"] === "GetObject" &&
        response.statusCode < 300;
      const { body } = response;
      return isObject && body instanceof Uint8Array
        ? { response: { ...response, body: streamOf(body) } }
        : { response };
    },
    updateHttpClientConfig(): void {},
    httpHandlerConfigs: () => ({}),
  };
}

/**
 * Whether a bucket that was just made is in another region: S3 says 307 then (S3 user guide, "Request
 * redirection"), which botocore takes for 301 (`S3RegionRedirectorv2`), and the SDK does not.
 */
function isElsewhere({ statusCode, headers }: SdkResponse): boolean {
  return statusCode === 307 && headers["x-amz-bucket-region"] !== undefined;
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
