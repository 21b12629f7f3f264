/**
 * What lies in the buckets: contents on the disk, all else in memory.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { join } from "@std/path";
import { ACCOUNT, REGION } from "../aws_answers.ts";
import { SortedMap } from "./sorted_map.ts";

/** A checksum as S3 keeps it. */
export interface Checksum {
  /** `crc32` */
  readonly algorithm: string;
  /** Base64; with `-N` of so many parts. */
  readonly value: string;
  readonly isComposite?: boolean;
}

/** A file that is one piece of an object. */
export interface Piece {
  readonly path: string;
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

/** S3's contents. Tests and jobs use it directly; programs come over HTTP. */
export class S3Store {
  readonly buckets = new Map<string, Bucket>();
  /** The smallest part (bytes) that may have others behind it. */
  smallestPart = 5 * 1024 * 1024;
  #files = 0;
  #uploads = 0;

  constructor(private readonly directory: string) {}

  /** Makes a bucket, by default one of the tests' user. */
  createBucket(name: string, { region = REGION, owner = ACCOUNT } = {}): Bucket {
    const bucket: Bucket = {
      ...{ name, region, owner, created: new Date() },
      objects: new SortedMap(),
      uploads: new Map(),
    };
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** The bucket; it has to be there. */
  bucket(name: string): Bucket {
    const bucket = this.buckets.get(name);
    if (!bucket) throw new Error(`There is no bucket ${name}`);
    return bucket;
  }

  /** Puts an object. */
  async put(
    bucket: string,
    key: string,
    content: string | Uint8Array,
    description: Description = {},
  ): Promise<StoredObject> {
    const piece = await this.write(content);
    return await this.keep(bucket, key, [piece], `"${md5(content)}"`, description);
  }

  /** Puts a file of this machine, which may be large. */
  async putFile(
    bucket: string,
    key: string,
    path: string,
    description: Description = {},
  ): Promise<StoredObject> {
    const target = this.#newPath();
    await Deno.copyFile(path, target);
    const hash = createHash("md5");
    using file = await Deno.open(target);
    const buffer = new Uint8Array(1 << 20);
    let size = 0;
    for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
      hash.update(buffer.subarray(0, count));
      size += count;
    }
    const etag = `"${hash.digest("hex")}"`;
    return await this.keep(bucket, key, [{ path: target, size }], etag, description);
  }

  /** The object, if it is there. */
  object(bucket: string, key: string): StoredObject | undefined {
    return this.bucket(bucket).objects.get(key);
  }

  /** Keys that begin with the prefix, sorted as S3 does. */
  keys(bucket: string, prefix = ""): string[] {
    const { objects } = this.bucket(bucket);
    return [...objects.keysFrom(prefix, (key) => key.startsWith(prefix))];
  }

  /** The content of an object that is there. */
  async bytes(bucket: string, key: string): Promise<Uint8Array> {
    const { pieces, size } = this.#existing(bucket, key);
    const all = new Uint8Array(size);
    let start = 0;
    for (const { path, size } of pieces) {
      all.set(await Deno.readFile(path), start);
      start += size;
    }
    return all;
  }

  /** The content of an object that is there. */
  async text(bucket: string, key: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(bucket, key));
  }

  /** Writes an object into a file of this machine. */
  async download(bucket: string, key: string, path: string): Promise<void> {
    const [first, ...others] = this.#existing(bucket, key).pieces;
    await Deno.copyFile(first!.path, path);
    if (others.length === 0) return;
    using target = await Deno.open(path, { append: true });
    for (const piece of others) {
      using source = await Deno.open(piece.path);
      await source.readable.pipeTo(target.writable, { preventClose: true });
    }
  }

  /** Deletes an object, if it is there. */
  async delete(bucket: string, key: string): Promise<void> {
    const { objects } = this.bucket(bucket);
    const old = objects.get(key);
    objects.delete(key);
    await this.discard(old?.pieces ?? []);
  }

  /** Multipart uploads that are neither complete nor aborted. */
  uploads(bucket: string): MultipartUpload[] {
    return [...this.bucket(bucket).uploads.values()];
  }

  /** Begins a multipart upload. */
  createUpload(
    bucket: string,
    key: string,
    description: Description & { readonly algorithm?: string } = {},
  ): MultipartUpload {
    const id = `upload-${String(++this.#uploads).padStart(6, "0")}`;
    const upload = { ...description, id, key, initiated: seconds(), parts: new Map() };
    this.bucket(bucket).uploads.set(id, upload);
    return upload;
  }

  /** Takes a piece of an object to come. */
  async write(content: string | Uint8Array): Promise<Piece> {
    const path = this.#newPath();
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(path, bytes);
    return { path, size: bytes.length };
  }

  /** Makes an object of pieces, in place of what was there. */
  async keep(
    bucket: string,
    key: string,
    pieces: readonly Piece[],
    etag: string,
    description: Description,
  ): Promise<StoredObject> {
    const { objects } = this.bucket(bucket);
    const { metadata, headers, checksum } = description;
    const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
    const object: StoredObject = {
      ...{ key, size, etag, pieces, metadata, headers, checksum },
      modified: seconds(),
    };
    const old = objects.get(key);
    objects.set(key, object);
    await this.discard(old?.pieces ?? []);
    return object;
  }

  /** Deletes pieces that no object has. Who reads them, reads on. */
  async discard(pieces: Iterable<Piece>): Promise<void> {
    for (const { path } of pieces) await Deno.remove(path);
  }

  #existing(bucket: string, key: string): StoredObject {
    const object = this.object(bucket, key);
    if (!object) throw new Error(`There is no object s3://${bucket}/${key}`);
    return object;
  }

  #newPath(): string {
    return join(this.directory, `piece-${++this.#files}`);
  }
}

/** MD5 in hexadecimal digits. */
export function md5(content: string | Uint8Array): string {
  return createHash("md5").update(content).digest("hex");
}

/** Now, as S3 keeps it. */
function seconds(): Date {
  return new Date(Math.floor(Date.now() / 1000) * 1000);
}
