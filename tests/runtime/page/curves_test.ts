import { assertEquals } from "@std/assert";
import {
  gridOf,
  type Line,
  lineOf,
  rangeOf,
  smoothed,
  thinned,
} from "../../../runtime/page/curves.ts";
import { shortNumber } from "../../../runtime/quantities.ts";
import { spanText } from "../../../runtime/page/text.ts";
import { it, suite } from "../../helpers/suite.ts";

function curve(value: number[]): { readonly time: number[]; readonly value: number[] } {
  return { time: value.map((_, at) => 10 * at), value };
}

suite("a thinned curve", () => {
  for (
    const [values, most, kept] of [
      [[], 4, []],
      [[1, 2, 3], 4, [1, 2, 3]],
      [[1, 9, 2, 3, 0, 4], 4, [1, 9, 0, 4]],
      [[3, 9, 1, 4, 4, 4], 4, [9, 1, 4]],
      [[1, 2, 3], 1, [1, 2, 3]],
    ] as const
  ) {
    it(`of ${values.join(" ")}, ${most} points at most`, () => {
      assertEquals(thinned(curve([...values]), most).value, [...kept]);
    });
  }

  it("keeps the times of its values, and a single peak", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => at === 5_432 ? 100 : at % 3);
    const { time, value } = thinned(curve(values), 2_000);
    assertEquals(value.length <= 2_000, true);
    assertEquals(time[value.indexOf(100)], 54_320);
    assertEquals(time, time.toSorted((a, b) => a! - b!));
  });
});

suite("a smoothed curve", () => {
  it("is as it was without a weight", () => {
    assertEquals(smoothed([3, 1, 2], 0), [3, 1, 2]);
  });

  it("follows its values, and does not begin at 0", () => {
    assertEquals(smoothed([4, 0, 0], 0.5), [4, 2 / 1.5, 1 / 1.75]);
  });
});

suite("the line of a curve", () => {
  const found = { time: [null, 20, null], value: [3, 2, 1] };

  it("lineOf counts steps, and leaves out values without a time if times are asked for", () => {
    assertEquals(lineOf(found, "step", 0), { x: [1, 2, 3], y: [3, 2, 1] });
    assertEquals(lineOf(found, "time", 0), { x: [20], y: [2] });
  });
});

suite("the grid of what is drawn", () => {
  const line: Line = { x: [0, 1, 2, 3, 4, 5, 6, 7], y: [0, 5, 1, 1, 9, 2, 2, 0] };

  it("has each value at its place where there is room", () => {
    assertEquals(gridOf([line], 0, 7, 4), { x: line.x, rows: [line.y] });
  });

  it("has the least and the most of each column where there is none", () => {
    assertEquals(gridOf([line], 0, 7, 2).rows, [[0, 5, 9, 0]]);
  });

  it("has values at its ends where a line comes in and goes out", () => {
    const { x, rows: [row] } = gridOf([{ x: [0, 10], y: [0, 100] }], 4, 7, 2);
    assertEquals(x, [4, 5, 6, 7]);
    assertEquals(row, [40, null, null, 70]);
  });

  it("has lines with other places over the same x", () => {
    const lines = [{ x: [0, 3], y: [1, 2] }, { x: [2], y: [7] }, { x: [], y: [] }];
    assertEquals(gridOf(lines, 0, 3, 2).rows, [
      [1, null, null, 2],
      [null, null, 7, null],
      [null, null, null, null],
    ]);
  });
});

suite("the range of lines", () => {
  for (
    const [lines, range] of [
      [[], undefined],
      [[{ x: [], y: [] }], undefined],
      [[{ x: [3], y: [1] }], [2, 4]],
      [[{ x: [3, 5], y: [1, 1] }, { x: [1, 2], y: [1, 1] }], [1, 5]],
    ] as const
  ) {
    it(`of ${JSON.stringify(lines)}`, () => assertEquals(rangeOf(lines), range));
  }
});

suite("values in text", () => {
  for (
    const [value, text] of [
      [0.1 + 0.2, "0.3"],
      [1234567, "1234570"],
      [1e-9, "1e-9"],
    ] as const
  ) {
    it(`${value} is ${text}`, () => assertEquals(shortNumber(value), text));
  }
  for (
    const [milliseconds, text] of [
      [0, "0s"],
      [250, "0.25s"],
      [12_900, "12s"],
      [65_000, "1m 05s"],
      [7_380_000, "2h 03m"],
    ] as const
  ) {
    it(`${milliseconds} ms are ${text}`, () => assertEquals(spanText(milliseconds), text));
  }
});
