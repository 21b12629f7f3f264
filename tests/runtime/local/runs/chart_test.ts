import { assert, assertEquals } from "@std/assert";
import { chartOf } from "../../../../runtime/local/runs/chart.ts";
import { exactAxis, valueAxis } from "../../../../runtime/local/runs/chart_axis.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { assertWellFormed } from "../../../helpers/xml.ts";

const START = 1_700_000_000_000;

/** @param apart in milliseconds. */
const metric = (name: string, values: readonly number[], apart = 1000) => ({
  name,
  samples: values.map((value, index) => ({ time: START + index * apart, value })),
});

const pictureOf = (...metrics: Parameters<typeof chartOf>[1]): string =>
  chartOf("churn-1", metrics, START);

function curvesOf(picture: string): number[][][] {
  return [...picture.matchAll(/points="([^"]*)"/g)].map(([, points]) =>
    points!.split(" ").map((point) => point.split(",").map(Number))
  );
}

suite("chartOf", () => {
  it("draws each value at its place, the least below and the most above", () => {
    const picture = pictureOf(metric("loss", [4, 2, 1, 3]));
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
    const words = "loss: 4 values from 1 to 4, the last 3.";
    for (const text of ["<title>churn-1<", words, ">loss<", ">3<", ">4<", ">1<", ">step<"]) {
      assert(picture.includes(text), text);
    }
  });

  for (
    const [names, titles] of [
      [["a", "unseen", "b"], ["a", "b"]],
      [["train_loss", "val_loss", "lr"], ["loss", "lr"]],
      [["validation:rmse", "train:rmse", "auc"], ["rmse", "auc"]],
      [["loss", "valLoss", "Test Loss", "dev-loss", "eval.loss"], ["loss", "eval.loss"]],
      [["train", "val"], ["train", "val"]],
    ] as const
  ) {
    it(`draws ${names.join(", ")} in the panels ${titles.join(", ")}`, () => {
      const picture = pictureOf(...names.map((name) => metric(name, name === "unseen" ? [] : [1])));
      const found = [...picture.matchAll(/font-size="13" font-weight="600">([^<]*)</g)];
      assertEquals(found.map(([, title]) => title), [...titles]);
      assertEquals(curvesOf(picture).length, names.filter((name) => name !== "unseen").length);
    });
  }

  for (
    const [what, metrics, label] of [
      ["as many values", [metric("a", [1, 2]), metric("b", [3, 4], 9)], "step"],
      ["seconds", [metric("a", [1, 2]), metric("b", [3])], "time since the start (s)"],
      ["minutes", [metric("a", [1, 2], 240_000), metric("b", [3])], "time since the start (min)"],
      ["hours", [metric("a", [1, 2], 8e6), metric("b", [3])], "time since the start (h)"],
    ] as const
  ) {
    it(`says what the axis below is: ${what}`, () => {
      const labels = pictureOf(...metrics).match(/(step|time since[^<]*)(?=<\/text>)/g);
      assertEquals(labels, [label, label]);
    });
  }

  it("puts values at one time above each other, however many a metric has", () => {
    const [often, seldom] = curvesOf(
      pictureOf(metric("train_loss", [5, 4, 3, 2, 1]), metric("val_loss", [5, 3, 1], 2000)),
    );
    assertEquals(seldom!.map(([x]) => x), [0, 2, 4].map((index) => often![index]![0]));
  });

  const odd: readonly (readonly [name: string, values: readonly number[]])[] = [
    ["one value", [0.5]],
    ["a flat curve", [1, 1, 1]],
    ["nothing but zero", [0, 0]],
    ["what is no number", [1, NaN, Infinity, -Infinity, 2]],
    ["many powers of ten", [1e-200, 1e200]],
    ["the largest numbers", [-Number.MAX_VALUE, Number.MAX_VALUE]],
    ["the smallest numbers", [5e-324, 1e-323]],
    ["many values", Array.from({ length: 100_000 }, (_, index) => Math.sin(index))],
  ];
  for (const [name, values] of odd) {
    it(`stays in the picture with ${name}`, () => {
      const picture = pictureOf(metric("m", values));
      const [points] = curvesOf(picture);
      assert(points!.length >= 1 && points!.length <= 602, String(points!.length));
      for (const [x, y] of points!) {
        assert(x! >= 0 && x! <= 640 && y! >= 0 && y! <= 310, `${x},${y}`);
      }
      assert(!/NaN|Infinity/.test(picture));
    });
  }

  it("keeps the peaks of a long curve", () => {
    const values = Array.from({ length: 50_000 }, () => 1);
    values[31_234] = 9;
    const [points] = curvesOf(pictureOf(metric("m", values)));
    const heights = points!.map(([, y]) => y!);
    assertEquals(heights.filter((y) => y === Math.min(...heights)).length, 1);
  });

  it("is well-formed whatever the names are", () => {
    const name = `<script>&"'\x00\x1b[31m\ud800 ${"é".repeat(300)}`;
    const picture = chartOf(name, [metric(name, [1, 2]), metric(`val ${name}`, [1])], START);
    assertWellFormed(picture);
    assert(!picture.includes("<script>"));
    // deno-lint-ignore no-control-regex
    assert(!/[\x00-\x08\x0b-\x1f]/.test(picture));
  });
});

suite("axes", () => {
  for (
    const [axis, texts, isLogarithmic] of [
      [valueAxis(0.11, 2.4), "0.0 0.5 1.0 1.5 2.0 2.5", false],
      [valueAxis(-3, 12), "-5 0 5 10 15", false],
      [valueAxis(1000001, 1000005), "1000001 1000002 1000003 1000004 1000005", false],
      [valueAxis(1, 1), "0.90 0.95 1.00 1.05 1.10", false],
      [valueAxis(0, 1e-7), "0 2e-8 4e-8 6e-8 8e-8 1e-7", false],
      [valueAxis(0, 1000), "0 200 400 600 800 1000", false],
      [valueAxis(0.002, 3), "0.01 0.1 1", true],
      [valueAxis(1e-6, 1e9), "1e-5 1 1e5", true],
      [exactAxis(1, 3, true), "1 2 3", false],
      [exactAxis(1, 1, true), "1", false],
      [exactAxis(0, 0.7, false), "0.0 0.2 0.4 0.6", false],
    ] as const
  ) {
    it(`has the numbers ${texts}`, () => {
      assertEquals(axis.ticks.map(({ text }) => text).join(" "), texts);
      assertEquals(axis.isLogarithmic, isLogarithmic);
    });
  }
});
