/**
 * Points in time as the user reads them.
 *
 * @module
 */

/**
 * A time in the machine's time zone, with the offset that held then:
 * `2026-03-01 09:30:00.123000+01:00`. Six fractional digits, though the SDK gives milliseconds.
 *
 * @param separator what stands between date and time; `T` makes it ISO 8601.
 */
export function localTimestamp(time: Date, separator: " " | "T"): string {
  const date = [
    String(time.getFullYear()).padStart(4, "0"),
    twoDigits(time.getMonth() + 1),
    twoDigits(time.getDate()),
  ].join("-");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(":");
  const fraction = String(time.getMilliseconds()).padStart(3, "0");
  return `${date}${separator}${clock}.${fraction}000${offset(time)}`;
}

/** A time as a clock with seconds has it: `14:03:05`. */
export function clockTime(time: Date): string {
  return localTimestamp(time, " ").slice(11, 19);
}

/**
 * A time of today as the clock on the wall has it, `14:03`; of another day with its date,
 * `2026-03-01 14:03`.
 */
export function timeOfDay(time: Date, now: Date): string {
  const [date, clock] = localTimestamp(time, " ").split(" ");
  const minutes = clock!.slice(0, 5);
  return date === localTimestamp(now, " ").split(" ")[0] ? minutes : `${date} ${minutes}`;
}

function offset(time: Date): string {
  // JavaScript counts the minutes to add to get UTC.
  const minutes = -time.getTimezoneOffset();
  const sign = minutes < 0 ? "-" : "+";
  return `${sign}${twoDigits(Math.floor(Math.abs(minutes) / 60))}:${
    twoDigits(Math.abs(minutes) % 60)
  }`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
