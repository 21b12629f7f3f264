import { assert, assertEquals } from "@std/assert";
import { MOST_DEFINITIONS, MOST_SAMPLES } from "../../../../runtime/contract/metric_definitions.ts";
import { curvesIn } from "../../../../runtime/local/ui/curves.ts";
import type { CurvesPart } from "../../../../runtime/page/api.ts";
import { it, suite } from "../../../helpers/suite.ts";

const STARTED = Date.parse("2026-03-01T09:30:00Z");
const HEADING = "time,metric,value\n";

/** A line of `metrics.csv`, so many ms after the start. */
function line(ms: number, name: string, value: number | string): string {
  return `${new Date(STARTED + ms).toISOString()},${name},${value}\n`;
}

type Curves = Readonly<Record<string, readonly [time: (number | null)[], value: number[]]>>;

function read(text: string, from = 0): { readonly next: number; readonly curves: Curves } {
  const part: CurvesPart = curvesIn(new TextEncoder().encode(text), from, STARTED);
  const curves = Object.entries(part.curves).map((
    [name, { time, value }],
  ) => [name, [time, value]]);
  return { next: part.next, curves: Object.fromEntries(curves) };
}

const CASES: Readonly<Record<string, readonly [text: string, curves: Curves]>> = {
  "nothing": ["", {}],
  "a heading alone": [HEADING, {}],
  "two metrics": [
    HEADING + line(1_500, "loss", 0.5) + line(2_000, "acc", 1e-7) + line(60_001, "loss", -3),
    { loss: [[1_500, 60_001], [0.5, -3]], acc: [[2_000], [1e-7]] },
  ],
  "a value before the start": [line(-250, "loss", 1), { loss: [[-250], [1]] }],
  "names with commas, quotes and line ends": [
    line(1, '"a,""b""\nc"', 2) + line(2, "plain", 3),
    { 'a,"b"\nc': [[1], [2]], plain: [[2], [3]] },
  ],
  "letters beyond ASCII": [line(1, "größe✓", 2) + line(2, "größe✓", 3), {
    "größe✓": [[1, 2], [2, 3]],
  }],
  "a name that objects have": [line(1, "__proto__", 2), { ["__proto__"]: [[1], [2]] }],
  "times of another form": [
    "2026-03-01T10:30:01+01:00,loss,1\n2026-03-01T09:30:02Z,loss,2\n",
    { loss: [[1_000, 2_000], [1, 2]] },
  ],
  // https://github.com/EleutherAI/gpt-neo/pull/21: not the time at which they were found.
  "values that were found in a log later": [",loss,3\n" + line(1, "loss", 2), {
    loss: [[null, 1], [3, 2]],
  }],
  "what is no number, or no time": [
    line(1, "loss", "NaN") + line(1, "loss", "Infinity") + line(1, "loss", "") +
    "yesterday,loss,1\n2026-13-01T09:30:00.000Z,loss,1\n2026-03-01T09:30:0x.000Z,loss,1\n" +
    line(2, "loss", 7),
    { loss: [[2], [7]] },
  ],
};

suite("the curves in metrics.csv", () => {
  for (const [what, [text, curves]] of Object.entries(CASES)) {
    it(`has ${what}`, () => {
      assertEquals(read(text), { next: new TextEncoder().encode(text).length, curves });
    });
  }

  it("in parts, however they are cut, are those of the whole", () => {
    const text = HEADING + line(1, "größe", 1) + line(2, '"a\n,b"', 2) + line(3, "größe", 3);
    const bytes = new TextEncoder().encode(text);
    const whole = curvesIn(bytes, 0, STARTED);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const first = curvesIn(bytes.subarray(0, cut), 0, STARTED);
      assert(first.next <= cut);
      const second = curvesIn(bytes.subarray(first.next), first.next, STARTED);
      assertEquals(second.next, whole.next);
      for (const [name, { value }] of Object.entries(whole.curves)) {
        const parts = [first, second].flatMap(({ curves }) => curves[name]?.value ?? []);
        assertEquals(parts, value, `${name}, cut at ${cut}`);
      }
    }
  });

  it("end after the 100,000 values that mlcli writes, and no reader asks for the rest", () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => line(at * 10, "loss", at / 7));
    const bytes = new TextEncoder().encode(HEADING + lines.join(""));
    const { next, curves } = curvesIn(bytes, 0, STARTED);
    assertEquals([next, curves["loss"]!.value.length], [bytes.length, MOST_SAMPLES]);
  });

  it("are those of the first 40 metrics: a clone's file can name 700,000", () => {
    const lines = Array.from({ length: 50_000 }, (_, at) => line(at, `m${at % 10_000}`, at));
    const { curves } = read(HEADING + lines.join(""));
    const names = Array.from({ length: MOST_DEFINITIONS }, (_, at) => `m${at}`);
    assertEquals(Object.entries(curves).map(([name, [, value]]) => [name, value.length]), [
      ...names.map((name) => [name, 5] as [string, number]),
    ]);
  });

  it("leave out a metric whose name is longer than SageMaker allows", () => {
    const [longest, longer] = ["✓".repeat(255), "✓".repeat(256)];
    const { curves } = read(line(1, longer, 1) + line(2, longest, 2));
    assertEquals(curves, { [longest]: [[2], [2]] });
  });
});
