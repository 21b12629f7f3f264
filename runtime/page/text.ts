/** Values as they are read. */

/** Stands for what is not known. */
export const NONE = "–";

/** Six digits tell two values of a curve apart. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** How long something takes, in its two largest units: `0.25s`, `12s`, `1m 05s`, `2h 03m`. */
export function spanText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.floor(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${twoDigits(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

const BYTES = ["bytes", "kB", "MB", "GB", "TB"];

/** In a decimal unit: `12.3 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.95 && unit < BYTES.length - 1) [value, unit] = [value / 1000, unit + 1];
  return unit === 0
    ? `${value} ${value === 1 ? "byte" : "bytes"}`
    : `${value.toFixed(1)} ${BYTES[unit]}`;
}

/** In the reader's time zone: `2026-03-01 14:03:05`. */
export function timeText(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}

/** A value of a kind that is not known: it comes from a file that anybody may have written. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === "string") return value;
  // A count stays as it is.
  return typeof value === "number" && !Number.isSafeInteger(value)
    ? numberText(value)
    : JSON.stringify(value);
}

/** Not what every object inherits: a metric may be called `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
