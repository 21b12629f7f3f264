/** The order of keys in S3. */

/**
 * Compares two keys in S3's order, by their bytes in UTF-8; negative where the first comes first. (The
 * order of JavaScript's UTF-16 differs for characters beyond U+FFFF.)
 */
export function compareKeys(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return inUtf8Order(a) - inUtf8Order(b);
  }
  return one.length - other.length;
}

/** Sorts in place. */
export function sortKeys<T>(items: T[], keyOf: (item: T) => string): T[] {
  const hasPairs = items.some((item) => SURROGATE.test(keyOf(item)));
  if (hasPairs) return items.sort((one, other) => compareKeys(keyOf(one), keyOf(other)));
  // Without surrogate pairs both orders are the same, and this one is faster.
  return items.sort((one, other) => keyOf(one) < keyOf(other) ? -1 : 1);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Moves surrogates (characters beyond U+FFFF) behind all other units. */
function inUtf8Order(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
