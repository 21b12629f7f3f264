/**
 * A map whose keys come sorted as S3 sorts them, by their UTF-8 bytes.
 *
 * @module
 */

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
