/**
 * Which of some names somebody meant who wrote almost that.
 *
 * @module
 */

/** How many letters may be wrong: of short names one, since two make another word of them. */
function mistakes(name: string): number {
  return name.length < 6 ? 1 : 2;
}

/** The name that is closest to what was written; `undefined` where none is close. */
export function closest(written: string, names: readonly string[]): string | undefined {
  const plain = plainOf(written);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    const distance = distanceOf(plain, plainOf(name));
    if (distance > mistakes(name) || best !== undefined && distance >= best.distance) continue;
    best = { name, distance };
  }
  return best?.name;
}

/** Without what separates words, and capitals: `instanceCount`, `instance-count`. */
function plainOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** How many letters are to be put in, left out, replaced or swapped with the next one. */
function distanceOf(a: string, b: string): number {
  // A longer one cannot be close, and is not worth the time: it may be anything.
  if (Math.abs(a.length - b.length) > 2) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Infinity,
      ));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
