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

/** How long something takes, in two units: `0s`, `59s`, `1m 05s`, `2h 03m`. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const twoDigits = (number: number): string => String(number).padStart(2, "0");
  return minutes < 60
    ? `${minutes}m ${twoDigits(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

/** The same with tenths of a second where they matter, below ten seconds: `0.4s`, `12s`. */
export function clockText(milliseconds: number): string {
  return milliseconds < 9_950
    ? `${(Math.max(0, milliseconds) / 1000).toFixed(1)}s`
    : elapsedText(milliseconds);
}
