/**
 * The order in which S3 lists keys: that of their bytes in UTF-8.
 *
 * @module
 */

/**
 * Compares two keys: negative where the first comes first. JavaScript's own order is that of UTF-16,
 * which has the letters beyond the first plane before some within it.
 */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return inUtf8Order(a) - inUtf8Order(b);
  }
  return one.length - other.length;
}

/** Sorts keys in their place. */
export function sortKeys<T>(items: T[], keyOf: (item: T) => string): T[] {
  const hasPairs = items.some((item) => SURROGATE.test(keyOf(item)));
  if (hasPairs) return items.sort((one, other) => compareKeys(keyOf(one), keyOf(other)));
  // Without pairs both orders are the same, and this one is faster.
  return items.sort((one, other) => keyOf(one) < keyOf(other) ? -1 : 1);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Moves halves of pairs (letters beyond the first plane) behind all else. */
function inUtf8Order(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
