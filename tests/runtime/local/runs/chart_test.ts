import { assert, assertEquals, assertMatch } from "@std/assert";
import { chartOf } from "../../../../runtime/local/runs/chart.ts";
import { it, suite } from "../../../helpers/suite.ts";

const metric = (name: string, values: readonly number[]) => ({
  name,
  samples: values.map((value, time) => ({ time, value })),
});

/** Tags that are closed in their order, attributes in quotes, and no other `<` or `&`. */
function assertWellFormed(picture: string): void {
  const open: string[] = [];
  const rest = picture.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*) ?(\/?)>/g,
    (_, end, name, _attributes, empty) => {
      if (end) assertEquals(open.pop(), name);
      else if (!empty) open.push(name);
      return "";
    },
  );
  assertEquals(open, []);
  assert(!rest.includes("<"), rest);
  assert(!/&(?!(amp|lt|gt|quot);)/.test(rest), rest);
}

function curvesOf(picture: string): number[][][] {
  return [...picture.matchAll(/points="([^"]*)"/g)].map(([, points]) =>
    points!.split(" ").map((point) => point.split(",").map(Number))
  );
}

suite("chartOf", () => {
  it("draws each value at its place, the least below and the most above", () => {
    const picture = chartOf("churn-1", [metric("loss", [4, 2, 1, 3])]);
    const [points] = curvesOf(picture);
    assertEquals(points!.length, 4);
    const [left, top] = points![0]!;
    const bottom = points![2]![1]!;
    const right = points![3]![0]!;
    assertEquals(
      points!.map(([x]) => x),
      [0, 1, 2, 3].map((index) => Number((left! + index / 3 * (right - left!)).toFixed(1))),
    );
    assert(top! < bottom, "above is less");
    assertEquals(points![1]![1], Number((bottom - (bottom - top!) / 3).toFixed(1)));
    for (const text of ["churn-1", ">loss<", ">3<", ">4<", ">1<"]) {
      assert(picture.includes(text), text);
    }
  });

  it("has a part for each metric that has a value", () => {
    const picture = chartOf("x", [metric("a", [1]), metric("unseen", []), metric("b", [1, 2])]);
    assertEquals(curvesOf(picture).length, 2);
    assert(!picture.includes("unseen"));
    assertMatch(picture, /height="444"/);
  });

  const odd: readonly (readonly [name: string, values: readonly number[]])[] = [
    ["one value", [0.5]],
    ["a flat curve", [1, 1, 1]],
    ["the largest numbers", [-Number.MAX_VALUE, Number.MAX_VALUE]],
    ["the smallest numbers", [5e-324, 1e-323]],
    ["many values", Array.from({ length: 100_000 }, (_, index) => Math.sin(index))],
  ];
  for (const [name, values] of odd) {
    it(`stays in the picture with ${name}`, () => {
      const picture = chartOf("x", [metric("m", values)]);
      const [points] = curvesOf(picture);
      assert(points!.length >= 1 && points!.length <= 602, String(points!.length));
      for (const [x, y] of points!) {
        assert(x! >= 0 && x! <= 640 && y! >= 0 && y! <= 200, `${x},${y}`);
      }
      assert(!/NaN|Infinity/.test(picture));
    });
  }

  it("keeps the peaks of a long curve", () => {
    const values = Array.from({ length: 50_000 }, () => 1);
    values[31_234] = 9;
    const [points] = curvesOf(chartOf("x", [metric("m", values)]));
    const heights = points!.map(([, y]) => y!);
    assertEquals(heights.filter((y) => y === Math.min(...heights)).length, 1);
  });

  it("is well-formed whatever the names are", () => {
    const name = `<script>&"'\x00\x1b[31m\ud800 ${"é".repeat(300)}`;
    const picture = chartOf(name, [metric(name, [1, 2])]);
    assertWellFormed(picture);
    assert(!picture.includes("<script>"));
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x08\x0b-\x1f]/.test(picture));
  });
});
