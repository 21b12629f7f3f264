/** Parsers of options. (Cliffy's own would not do: its `integer` takes 0x1F90 for 8080.) */

import { UsageError } from "../../runtime/errors.ts";
import type { Parser } from "./option.ts";

/** A port, 0 to 65535. */
export function parsePort(text: string, source: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`${source} must be a number from 0 to 65535, but got "${text}"`);
}

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
  return (text, source) => {
    const seconds = secondsIn(text);
    if (seconds !== undefined && seconds >= least && seconds <= (most ?? seconds)) return seconds;
    const range = most === undefined ? `${least} or more` : `${least} to ${most}`;
    throw new UsageError(
      `${source} must be a duration of ${range} seconds, such as 90s, 5m or 1h, but got "${text}"`,
    );
  };
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
  return (text, source) => {
    const value = sizeIn(unit, text);
    if (value !== undefined && value >= least && value <= (most ?? value)) return value;
    const range = most === undefined ? `${least} or more` : `${least} to ${most}`;
    throw new UsageError(
      `${source} must be a size of ${range} ${unit}, such as 50 or 50${unit}, but got "${text}"`,
    );
  };
}

/** A host name or an address, as a browser would write it; an IPv6 address without its brackets. */
export function parseHost(text: string, source: string): string {
  const host = text.includes(":") && !text.startsWith("[") ? `[${text}]` : text;
  const url = `http://${host}`;
  if (/^(\[[\da-f:.]+\]|[^[\]:/\\?#@%\s]+)$/i.test(host) && URL.canParse(url)) {
    const name = new URL(url).hostname.replace(/^\[|\]$|\.$/g, "");
    if (/^[a-z\d_-]+(\.[a-z\d_-]+)*$|:/.test(name)) return name;
  }
  throw new UsageError(
    `${source} must be a host name or IP address without scheme and port, but got "${text}"`,
  );
}

/** A media type for a header of a request: text/csv, or what Accept takes. */
export function parseMediaType(text: string, source: string): string {
  // A header is one line of ASCII, not of blanks alone.
  if (/^[\t ]*[!-~][\t -~]*$/.test(text)) return text;
  throw new UsageError(
    `${source} must be a content type such as text/csv, but got ${JSON.stringify(text)}`,
  );
}

/** How much of a log: a number of lines, or `all`. */
export function parseTail(text: string, source: string): number | "all" {
  if (text === "all") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${source} must be a number of lines, or all, but got "${text}"`);
}

/** How long ago (`10m`), in milliseconds, or a time, local without a zone (`2026-03-01T09:30:00Z`). */
export function parseSince(text: string, source: string): number | Date {
  const seconds = /^\d+$/.test(text) ? undefined : secondsIn(text);
  if (seconds !== undefined) return 1_000 * seconds;
  // Without a time, JavaScript would take UTC.
  const time = new Date(/^[\d-]+$/.test(text) ? `${text}T00:00` : text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && time.getTime() >= 0) return time;
  throw new UsageError(
    `${source} must be a duration such as 30s, 10m, 2h or 1d, or a time such as ` +
      `2026-03-01T09:30:00Z, but got "${text}"`,
  );
}

/** How many to list: 1 or more. */
export function parseLimit(text: string, source: string): number {
  const limit = Number(text);
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit;
  throw new UsageError(`${source} must be a whole number, 1 or more, but got "${text}"`);
}

/** Returns a parser of whole numbers. @param most `undefined`: no limit. */
export function wholeNumber(most: number | undefined, unit?: string, least = 1): Parser<number> {
  return (text, source) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= least && value <= (most ?? value)) return value;
    const what = `a whole number${unit === undefined ? "" : ` of ${unit}`}`;
    const range = most === undefined ? `${least} or more` : `${least} to ${most}`;
    throw new UsageError(`${source} must be ${what}, ${range}, but got "${text}"`);
  };
}

/** An image tag, by the rule of Docker's reference grammar. */
export function parseTag(text: string, source: string): string {
  if (/^\w[\w.-]{0,127}$/.test(text)) return text;
  throw new UsageError(
    `${source} must be an image tag (letters, digits, "_", ".", "-"), but got "${text}"`,
  );
}
