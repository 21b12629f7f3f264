/** Values as the user reads them: times, durations, numbers; and the colours that mlcli uses. */

import { localTimestamp } from "../../runtime/time.ts";

/** A time of today, `14:03`, or of another day, `2026-03-01 14:03`. */
export function timeOfDay(time: Date, now: Date): string {
  const [date, clock] = localTimestamp(time, " ").split(" ");
  const minutes = clock!.slice(0, 5);
  return date === localTimestamp(now, " ").split(" ")[0] ? minutes : `${date} ${minutes}`;
}

export const green = (text: string): string => `\x1b[32m${text}\x1b[39m`;
export const yellow = (text: string): string => `\x1b[33m${text}\x1b[39m`;
export const red = (text: string): string => `\x1b[31m${text}\x1b[39m`;
export const bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;
export const dim = (text: string): string => `\x1b[2m${text}\x1b[22m`;
