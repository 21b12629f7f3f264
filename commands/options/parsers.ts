/** Parsers of options. (Cliffy's own would not do: its `integer` takes 0x1F90 for 8080.) */

import { UsageError } from "../../runtime/errors.ts";
import type { Parser } from "./option.ts";

/**
 * Returns a parser. `read` returns `undefined` for an invalid text.
 * @param expected follows "must be" in the message.
 */
export function parsed<T>(
  read: (text: string) => T | undefined,
  expected: string,
  hint?: string,
): Parser<T> {
  return (text, source) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new UsageError(`${source} must be ${expected}, but got "${text}"`, { hint });
  };
}

/** Returns a parser of texts that match a pattern or pass a test. */
export function matching(
  pattern: RegExp | ((text: string) => boolean),
  expected: string,
): Parser<string> {
  const matches = pattern instanceof RegExp ? (text: string) => pattern.test(text) : pattern;
  return parsed((text) => matches(text) ? text : undefined, expected);
}

/** Returns a parser of numbers. @param most `undefined`: no limit. */
export function inRange(
  least: number,
  most: number | undefined,
  read: RegExp | ((text: string) => number | undefined),
  expected: string,
): Parser<number> {
  return parsed((text) => {
    const value = read instanceof RegExp ? read.test(text) && Number(text) : read(text);
    const isValid = typeof value === "number" && value >= least && value <= (most ?? value);
    return isValid ? value : undefined;
  }, expected);
}

function rangeText(least: number, most: number | undefined): string {
  return most === undefined ? `${least} or more` : `${least} to ${most}`;
}

export const parsePort: Parser<number> = inRange(0, 65_535, /^\d+$/, "a number from 0 to 65535");

const SECONDS_PER_UNIT = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

const DURATION =
  /^(?=\d)(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m(?:in)?)?(?:(?<s>\d{1,9})s)?$/i;

/** Returns the seconds of `300`, `90s`, `5m` or `1h30m`; `undefined` for another text. */
export function secondsIn(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const parts = DURATION.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const units = Object.entries(SECONDS_PER_UNIT);
  return units.reduce((sum, [unit, seconds]) => sum + seconds * Number(parts[unit] ?? 0), 0);
}

/** Returns a parser of durations, in seconds. @param most `undefined`: no limit. */
export function duration(most: number | undefined, least = 1): Parser<number> {
  const expected = `a duration of ${rangeText(least, most)} seconds, such as 90s, 5m or 1h`;
  return inRange(least, most, secondsIn, expected);
}

/** In seconds: JavaScript's timers fire immediately after more than 24 days. */
const LONGEST_TIMER = 2_000_000;

export const parseTimeLimit: Parser<number> = duration(LONGEST_TIMER);

const MB_PER_UNIT: Readonly<Record<string, number>> = { M: 1, G: 1024, T: 1024 ** 2 };

/** Returns a size such as `30`, `30GB` or `1TB` in `unit`; `undefined` for another text. */
export function sizeIn(unit: "MB" | "GB", text: string): number | undefined {
  const own = unit[0]!;
  const [, number, letter = own] = /^(\d{1,9})(?:([MGT])i?B?)?$/i.exec(text) ?? [];
  const size = Number(number) * MB_PER_UNIT[letter.toUpperCase()]! / MB_PER_UNIT[own]!;
  return Number.isInteger(size) ? size : undefined;
}

/** Returns a parser of sizes, in `unit`. @param most `undefined`: no limit. */
export function size(unit: "MB" | "GB", most: number | undefined, least = 1): Parser<number> {
  const expected = `a size of ${rangeText(least, most)} ${unit}, such as 50 or 50${unit}`;
  return inRange(least, most, (text) => sizeIn(unit, text), expected);
}

/** A host name or an address, as a browser would write it; an IPv6 address without its brackets. */
export const parseHost: Parser<string> = parsed((text) => {
  const host = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = `http://${host}`;
  if (!/^(\[[\da-f:.]+\]|[^[\]:/\\?#@%\s]+)$/i.test(host) || !URL.canParse(url)) return undefined;
  const name = new URL(url).hostname.replace(/^\[|\]$|\.$/g, "");
  return /^[a-z\d_-]+(\.[a-z\d_-]+)*$|:/.test(name) ? name : undefined;
}, "a host name or IP address without scheme and port");

/** A media type for a header of a request: text/csv, or what Accept takes. */
export function parseMediaType(text: string, source: string): string {
  // A header is one line of ASCII, not of blanks alone.
  if (/^[\t ]*[!-~][\t -~]*$/.test(text)) return text;
  throw new UsageError(
    `${source} must be a content type such as text/csv, but got ${JSON.stringify(text)}`,
  );
}

export const parseTail: Parser<number | "all"> = parsed((text) => {
  if (text === "all") return text;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}, "a number of lines, or all");

/** How long ago (`10m`), in milliseconds, or a time, local without a zone (`2026-03-01T09:30:00Z`). */
export const parseSince: Parser<number | Date> = parsed((text) => {
  const seconds = /^\d+$/.test(text) ? undefined : secondsIn(text);
  if (seconds !== undefined) return 1_000 * seconds;
  // Without a time, JavaScript would take UTC.
  const time = new Date(/^[\d-]+$/.test(text) ? `${text}T00:00` : text);
  return /^\d{4}-\d\d-\d\d/.test(text) && time.getTime() >= 0 ? time : undefined;
}, "a duration such as 30s, 10m, 2h or 1d, or a time such as 2026-03-01T09:30:00Z");

export const parseLimit: Parser<number> = wholeNumber(undefined);

/** Returns a parser of whole numbers. @param most `undefined`: no limit. */
export function wholeNumber(most: number | undefined, unit?: string, least = 1): Parser<number> {
  const what = `a whole number${unit === undefined ? "" : ` of ${unit}`}`;
  return inRange(least, most, /^\d{1,9}$/, `${what}, ${rangeText(least, most)}`);
}

/** Docker's reference grammar: `tag`. */
export const parseTag: Parser<string> = matching(
  /^\w[\w.-]{0,127}$/,
  'an image tag (letters, digits, "_", ".", "-")',
);
