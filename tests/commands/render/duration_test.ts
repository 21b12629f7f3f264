import { assertEquals } from "@std/assert";
import { durationText } from "../../../commands/render/duration.ts";
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
