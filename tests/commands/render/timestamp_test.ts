import { assertEquals } from "@std/assert";
import { localTimestamp } from "../../../commands/render/timestamp.ts";
import { it, suite } from "../../helpers/suite.ts";

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
