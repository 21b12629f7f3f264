/**
 * Lengths of time as the user reads them.
 *
 * @module
 */

const UNITS: readonly (readonly [letter: string, milliseconds: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
];

/** In its largest unit: `12s`, `5m`, `3h`, `2d`. Where clocks disagree and it is negative, `0s`. */
export function durationText(milliseconds: number): string {
  for (const [letter, length] of UNITS) {
    if (milliseconds >= length) return `${Math.floor(milliseconds / length)}${letter}`;
  }
  return `${Math.max(0, Math.floor(milliseconds / 1000))}s`;
}
