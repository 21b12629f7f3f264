/**
 * Numbers for a reader.
 *
 * @module
 */

/** `1 file`, `3 files` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const UNITS = ["byte", "kB", "MB", "GB", "TB"];

/** A number of bytes in the unit that suits it, of the decimal ones: `12.3 MB`. */
export function byteCount(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.95 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return unit === 0 ? counted(value, "byte") : `${value.toFixed(1)} ${UNITS[unit]}`;
}
