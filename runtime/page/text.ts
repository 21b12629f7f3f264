/** Values as they are read. */

import { elapsedText, shortNumber } from "../quantities.ts";

/** Stands for what is not known. */
export const NONE = "–";

/** How long something takes: `0.25s`, `12s`, `1m 05s`, `2h 03m`. */
export function spanText(milliseconds: number): string {
  return milliseconds < 10_000
    ? `${Number((milliseconds / 1_000).toFixed(2))}s`
    : elapsedText(milliseconds);
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
    ? shortNumber(value)
    : JSON.stringify(value);
}
