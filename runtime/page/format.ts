/** Values as a person reads them. */

/** Stands for what is not known. */
export const NONE = "–";

/** To six digits; whole numbers as they are. */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  return String(Number.isSafeInteger(value) ? value : Number(value.toPrecision(6)));
}

/** `3.2s`, `42s`, `1m 05s`, `2h 03m`, `1d 04h`. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return NONE;
  if (seconds < 9.95) return `${Number(Math.max(0, seconds).toFixed(1))}s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole}s`;
  const two = (value: number, unit: number, letters: string): string =>
    `${Math.floor(value / unit)}${letters[0]} ` +
    `${String(value % unit).padStart(2, "0")}${letters[1]}`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return two(whole, 60, "ms");
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? two(minutes, 60, "hm") : two(hours, 24, "dh");
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
  if (typeof value === "number") return numberText(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
