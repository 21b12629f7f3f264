/**
 * What S3 keeps.
 *
 * @module
 */

import type { SortedMap } from "./sorted_map.ts";

/** A checksum as S3 keeps it. */
export interface Checksum {
  /** `crc32` */
  readonly algorithm: string;
  /** Base64; with `-N` of so many parts. */
  readonly value: string;
  readonly isComposite?: boolean;
}

/** One piece of an object: a file, or a part of one. */
export interface Piece {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/** What a request says about an object besides its content. */
export interface Description {
  /** Without `x-amz-meta-`, in lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** `content-type`, `x-amz-server-side-encryption`, ... */
  readonly headers?: Readonly<Record<string, string>>;
  readonly checksum?: Checksum;
}

/** An object. */
export interface StoredObject extends Description {
  readonly key: string;
  readonly size: number;
  /** With its quotes. */
  readonly etag: string;
  readonly pieces: readonly Piece[];
  /** To the second, as S3 tells it. A test may change it. */
  modified: Date;
}

/** A part that was uploaded. */
export interface Part extends Piece {
  readonly etag: string;
  readonly checksum?: Checksum;
}

/** A multipart upload that is not complete. */
export interface MultipartUpload extends Description {
  readonly id: string;
  readonly key: string;
  readonly initiated: Date;
  /** Which checksum its parts must have. */
  readonly algorithm?: string;
  readonly parts: Map<number, Part>;
}

/** A bucket. */
export interface Bucket {
  readonly name: string;
  readonly region: string;
  /** The account. */
  readonly owner: string;
  readonly created: Date;
  readonly objects: SortedMap<StoredObject>;
  readonly uploads: Map<string, MultipartUpload>;
}
