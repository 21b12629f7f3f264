import { assertEquals } from "@std/assert";
import { clockText, durationText, elapsedText } from "../../../commands/render/duration.ts";
import { it, suite } from "../../helpers/suite.ts";

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
