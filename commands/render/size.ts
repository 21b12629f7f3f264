/**
 * Sizes for people.
 *
 * @module
 */

const UNITS = ["kB", "MB", "GB", "TB"];

/** A number of bytes, in powers of 1,000: `17 B`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = "B";
  for (const next of UNITS) {
    // What would be rounded to 1,000 belongs to the next unit.
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return `${unit === "B" || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
}
