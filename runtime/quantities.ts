/** Durations, sizes and numbers, as people read them. */

const TIME_UNITS: readonly (readonly [letter: string, milliseconds: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
];

/** In its largest unit: `12s`, `5m`, `3h`, `2d`. Where clocks disagree and it is negative, `0s`. */
export function durationText(milliseconds: number): string {
  for (const [letter, length] of TIME_UNITS) {
    if (milliseconds >= length) return `${Math.floor(milliseconds / length)}${letter}`;
  }
  return `${Math.max(0, Math.floor(milliseconds / 1000))}s`;
}

/** How long something takes, in two units: `0s`, `59s`, `1m 05s`, `2h 03m`. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`
    : `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}

/** The same, with tenths of a second below ten seconds: `0.4s`, `12s`. */
export function clockText(milliseconds: number): string {
  return milliseconds < 9_950
    ? `${(Math.max(0, milliseconds) / 1000).toFixed(1)}s`
    : elapsedText(milliseconds);
}

/** `1 file`, `3 files` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const BYTES = ["byte", "kB", "MB", "GB", "TB"];

/** A number of bytes in a decimal unit: `12.3 MB`. */
export function byteCount(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.95 && unit < BYTES.length - 1) [value, unit] = [value / 1000, unit + 1];
  return unit === 0 ? counted(value, "byte") : `${value.toFixed(1)} ${BYTES[unit]}`;
}

/** Returns the bytes of a size in a decimal unit, such as `100MB`; `undefined` for another text. */
export function bytesIn(size: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,6}(?:\.\d{1,6})?)(KB|MB|GB)$/i.exec(size) ?? [];
  const power = ["KB", "MB", "GB"].indexOf(unit.toUpperCase()) + 1;
  return number === undefined ? undefined : Math.floor(Number(number) * 1000 ** power);
}

/** A number for a reader: six digits tell two values of a curve apart. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
