import { assertEquals } from "@std/assert";
import {
  byteCount,
  clockText,
  counted,
  durationText,
  elapsedText,
} from "../../runtime/quantities.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { it, suite } from "../helpers/suite.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

suite("a duration", () => {
  for (
    const [milliseconds, text] of [
      [-DAY, "0s"],
      [0, "0s"],
      [999, "0s"],
      [SECOND, "1s"],
      [MINUTE - 1, "59s"],
      [MINUTE, "1m"],
      [HOUR - 1, "59m"],
      [HOUR, "1h"],
      [DAY - 1, "23h"],
      [DAY, "1d"],
      [400 * DAY, "400d"],
    ] as const
  ) {
    it(`of ${milliseconds} ms is ${text}`, () => assertEquals(durationText(milliseconds), text));
  }
});

suite("how long something takes", () => {
  for (
    const [milliseconds, clock, elapsed] of [
      [-DAY, "0.0s", "0s"],
      [0, "0.0s", "0s"],
      [1_260, "1.3s", "1s"],
      [9_949, "9.9s", "9s"],
      [9_950, "9s", "9s"],
      [MINUTE - 1, "59s", "59s"],
      [MINUTE + 5 * SECOND, "1m 05s", "1m 05s"],
      [2 * HOUR + 3 * MINUTE + 59 * SECOND, "2h 03m", "2h 03m"],
      [26 * HOUR, "26h 00m", "26h 00m"],
    ] as const
  ) {
    it(`${milliseconds} ms: ${clock}, ${elapsed}`, () => {
      assertEquals([clockText(milliseconds), elapsedText(milliseconds)], [clock, elapsed]);
    });
  }
});

/** A time as the machine of the table sees it: a `Date` knows the machine's zone alone. */
function timeIn(minutesEast: number, local: string): Date {
  const time = new Date(`${local}Z`);
  const seen = {
    getFullYear: () => time.getUTCFullYear(),
    getMonth: () => time.getUTCMonth(),
    getDate: () => time.getUTCDate(),
    getHours: () => time.getUTCHours(),
    getMinutes: () => time.getUTCMinutes(),
    getSeconds: () => time.getUTCSeconds(),
    getMilliseconds: () => time.getUTCMilliseconds(),
    getTimezoneOffset: () => -minutesEast,
  };
  return Object.assign(new Date(time), seen);
}

suite("a time-stamp", () => {
  for (
    const [zone, local, text] of [
      [60, "2026-03-01T09:30:00.123", "2026-03-01 09:30:00.123000+01:00"],
      [0, "2026-12-31T23:59:59.999", "2026-12-31 23:59:59.999000+00:00"],
      [-210, "2026-01-02T03:04:05.006", "2026-01-02 03:04:05.006000-03:30"],
      [345, "0999-01-02T03:04:05.000", "0999-01-02 03:04:05.000000+05:45"],
    ] as const
  ) {
    it(text, () => assertEquals(localTimestamp(timeIn(zone, local), " "), text));
  }

  it("in ISO 8601 has a T, and says the same time", () => {
    const time = new Date("2026-03-01T08:30:00.123Z");
    const text = localTimestamp(time, "T");
    assertEquals(text[10], "T");
    assertEquals(Date.parse(text), time.getTime());
  });
});

suite("quantities", () => {
  for (
    const [bytes, text] of [
      [0, "0 bytes"],
      [1, "1 byte"],
      [999, "999 bytes"],
      [1_000, "1.0 kB"],
      [999_949, "999.9 kB"],
      [999_950, "1.0 MB"],
      [12_345_678, "12.3 MB"],
      [80_000_000_000, "80.0 GB"],
      [5e15, "5000.0 TB"],
    ] as const
  ) {
    it(`${bytes}: ${text}`, () => assertEquals(byteCount(bytes), text));
  }

  it("has a word for one, and for others", () => {
    assertEquals([0, 1, 2].map((count) => counted(count, "file")), [
      "0 files",
      "1 file",
      "2 files",
    ]);
  });
});
