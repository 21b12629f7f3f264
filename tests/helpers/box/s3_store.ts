/** What lies in the buckets: contents on the disk, all else in memory. */

import { join } from "@std/path";
import { createHash } from "node:crypto";
import { ACCOUNT, REGION } from "./account.ts";
import { blocksOf } from "./s3_content.ts";
import {
  type Bucket,
  type Description,
  type MultipartUpload,
  type Piece,
  SortedMap,
  type StoredObject,
} from "./s3_types.ts";

/** What is smaller (bytes) goes into one file with its like: 20,000 files take their time. */
const SMALL = 1024 * 1024;

/** S3's contents. Tests and jobs use it directly; programs come over HTTP. */
export class S3Store implements Disposable {
  readonly buckets = new Map<string, Bucket>();
  /** The smallest part (bytes) that may have others behind it. */
  smallestPart = 5 * 1024 * 1024;
  #files = 0;
  #uploads = 0;
  readonly #packPath: string;
  readonly #pack: Deno.FsFile;
  #packSize = 0;

  /** @param directory It is the store's alone. */
  constructor(private readonly directory: string) {
    this.#packPath = join(directory, "pack");
    this.#pack = Deno.openSync(this.#packPath, { createNew: true, write: true });
  }

  [Symbol.dispose](): void {
    this.#pack.close();
  }

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
    for (const piece of pieces) {
      for await (const block of blocksOf(piece)) {
        all.set(block, start);
        start += block.length;
      }
    }
    return all;
  }

  /** The content of an object that is there. */
  async text(bucket: string, key: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(bucket, key));
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
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const size = bytes.length;
    if (size < SMALL) {
      const offset = this.#packSize;
      this.#packSize += size;
      // Without a pause: others write there too.
      this.#pack.seekSync(offset, Deno.SeekMode.Start);
      for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.#pack.writeSync(rest));
      return { path: this.#packPath, offset, size };
    }
    const path = this.#newPath();
    await Deno.writeFile(path, bytes);
    return { path, offset: 0, size };
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
    for (const { path } of pieces) if (path !== this.#packPath) await Deno.remove(path);
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
