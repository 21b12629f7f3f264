import { assertEquals } from "@std/assert";
import { Pace } from "../../../../commands/render/progress/pace.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** The pace after these: at a time in seconds, so much is done. */
function paceAfter(
  samples: readonly (readonly [seconds: number, amount: number])[],
  end: number,
): Pace {
  let now = 0;
  const pace = new Pace(() => now * 1000);
  for (const [seconds, amount] of samples) {
    now = seconds;
    pace.reached(amount);
  }
  now = end;
  return pace;
}

suite("a pace", () => {
  const even = Array.from({ length: 3000 }, (_, index) => [index / 100, index] as const);
  for (
    const [name, samples, end, rate, left] of [
      ["is not known in the first second", [[0.5, 100]], 0.9, undefined, undefined],
      ["is what was done in the time", [[1, 50], [2, 100]], 2, 50, 2000],
      ["is that of the last ten seconds", [[1, 1000], [2, 1000], [12, 1100]], 12, 10, 10_000],
      ["becomes less while nothing happens", [[1, 100]], 5, 20, 5000],
      ["without progress has no end", [[1, 0], [2, 0]], 2, 0, undefined],
      ["of many small steps", even, 30, 1000 / 10, 1000],
    ] as const
  ) {
    it(name, () => {
      const pace = paceAfter(samples, end);
      const tens = (value: number | undefined) => value && Math.round(value / 10) * 10;
      assertEquals([tens(pace.rate), tens(pace.left(100))], [rate, left]);
    });
  }
});
