/** Amazon S3: addresses in path style, XML, regions, owners. */

import { listObjects, listUploads } from "./s3_listing.ts";
import { MULTIPART } from "./s3_multipart.ts";
import { OBJECTS } from "./s3_objects.ts";
import { S3Store } from "./s3_store.ts";
import type { Bucket } from "./s3_types.ts";
import {
  accountOf,
  type BoxRequest,
  type Permission,
  type Platform,
  Refused,
  type Service,
  Unexpected,
} from "./service.ts";

/** What an operation may need besides its request. */
export interface S3Call {
  readonly request: BoxRequest;
  readonly bucket: Bucket;
  readonly store: S3Store;
  readonly faults: Platform["faults"];
}

/** An operation on a bucket that is there, and is the caller's. */
export type S3Operation = (call: S3Call) => Response | Promise<Response>;

/** IAM's word for an operation where it is another one. */
const ACTIONS: Readonly<Record<string, string>> = {
  HeadObject: "GetObject",
  ListObjectsV2: "ListBucket",
  HeadBucket: "ListBucket",
  ListMultipartUploads: "ListBucketMultipartUploads",
  CreateMultipartUpload: "PutObject",
  UploadPart: "PutObject",
  CompleteMultipartUpload: "PutObject",
};

/** Headers of AWS that mean something here, or need not. */
const KNOWN_HEADERS = new RegExp(
  "^x-amz-(content-sha256|date|security-token|user-agent|meta-.+|checksum-.+|trailer|" +
    "sdk-checksum-algorithm|decoded-content-length|expected-bucket-owner|" +
    "server-side-encryption(-aws-kms-key-id)?|storage-class|mp-object-size)$",
);

/** Further operations are in modules of their own. */
const OPERATIONS: Readonly<Record<string, S3Operation>> = {
  ...OBJECTS,
  ...MULTIPART,
  HeadBucket: () => new Response(null),
  ListObjectsV2: ({ bucket, request }) => listObjects(bucket, request.input),
  ListMultipartUploads: ({ bucket, request }) => listUploads(bucket, request.input),
};

/** S3 of one box. */
export class S3 implements Service {
  readonly store: S3Store;

  constructor(private readonly platform: Platform, directory: string) {
    this.store = new S3Store(directory);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.store[Symbol.dispose]();
    return Promise.resolve();
  }

  permission({ operation, input }: BoxRequest): Permission {
    const path = input.Key === "" ? input.Bucket : `${input.Bucket}/${input.Key}`;
    // Of many keys, each is asked for by itself.
    const action = operation === "DeleteObjects"
      ? "DeleteObjects"
      : ACTIONS[operation] ?? operation;
    return { action: `s3:${action}`, resource: `arn:aws:s3:::${path}` };
  }

  async handle(request: BoxRequest): Promise<Response> {
    const { operation, input, headers } = request;
    for (const name of headers.keys()) {
      if (name.startsWith("x-amz-") && !KNOWN_HEADERS.test(name)) {
        throw new Unexpected(`Not expected: the header ${name} with ${operation}`);
      }
    }
    const bucket = this.#bucketFor(request);
    const handle = OPERATIONS[operation];
    if (!handle) throw new Unexpected(`Not expected: s3:${operation}`);
    if (new TextEncoder().encode(input.Key).length > 1024) {
      throw new Refused("KeyTooLongError", "Your key is too long");
    }
    const { store, platform: { faults } } = this;
    const answer = await handle({ request, bucket, store, faults });
    answer.headers.set("x-amz-request-id", "BOX0");
    if (operation === "HeadBucket") answer.headers.set("x-amz-bucket-region", bucket.region);
    return answer;
  }

  /** The bucket, if it is where the request goes to, and the caller's. */
  #bucketFor({ input, key, region, headers }: BoxRequest): Bucket {
    const bucket = this.store.buckets.get(input.Bucket);
    if (!bucket) {
      throw new Refused("NoSuchBucket", "The specified bucket does not exist", 404, {}, {
        BucketName: input.Bucket,
      });
    }
    if (bucket.region !== region) {
      throw new Refused(
        "PermanentRedirect",
        "The bucket you are attempting to access must be addressed using the specified endpoint. " +
          "Please send all future requests to this endpoint.",
        301,
        { "x-amz-bucket-region": bucket.region },
        { Endpoint: `${bucket.name}.s3-${bucket.region}.amazonaws.com`, Bucket: bucket.name },
      );
    }
    const expected = headers.get("x-amz-expected-bucket-owner") ?? bucket.owner;
    if (bucket.owner !== accountOf(key) || bucket.owner !== expected) {
      throw new Refused("AccessDenied", "Access Denied", 403, {
        "x-amz-bucket-region": bucket.region,
      });
    }
    return bucket;
  }
}
