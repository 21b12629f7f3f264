/** What S3 keeps. */

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

/** Sorts when it is read, so that many writes in a row cost nothing. */
export class SortedMap<T> {
  readonly #values = new Map<string, T>();
  #sorted: string[] | undefined = [];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    if (!this.#values.has(key)) this.#sorted = undefined;
    this.#values.set(key, value);
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#sorted = undefined;
  }

  /** Keys from that one on, as long as they are wanted. */
  *keysFrom(start: string, isWanted: (key: string) => boolean = () => true): Generator<string> {
    const keys = this.#sorted ??= [...this.#values.keys()].sort(byBytes);
    let low = 0;
    for (let high = keys.length; low < high;) {
      const middle = (low + high) >> 1;
      if (byBytes(keys[middle]!, start) < 0) low = middle + 1;
      else high = middle;
    }
    for (; low < keys.length && isWanted(keys[low]!); low++) yield keys[low]!;
  }
}

/** Order of the texts' UTF-8 bytes. JavaScript's own puts what is above U+FFFF before U+E000. */
export function byBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [first, second] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (first === second) continue;
    const [isHigh, isOtherHigh] = [isSurrogate(first), isSurrogate(second)];
    return isHigh === isOtherHigh ? first - second : isHigh ? 1 : -1;
  }
  return one.length - other.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
