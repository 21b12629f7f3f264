/** An axis of a picture: where a value lies on it, and the round numbers that stand beside it. */

export interface Axis {
  /** A value's place: 0 is where the axis begins, 1 where it ends. */
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  readonly isLogarithmic: boolean;
}

/** Values above zero that differ by this factor are told apart on a logarithmic axis only. */
const LOGARITHMIC_FROM = 1000;

/** The largest number of an axis: a difference of two must be a number, too. */
const LARGEST = Number.MAX_VALUE / 4;

/** Into so many parts its numbers divide an axis, or a few more or less. */
const PARTS = 5;

/** An axis for values: from one round number to another, logarithmic where they need it. */
export function valueAxis(least: number, most: number): Axis {
  if (least > 0 && most / least >= LOGARITHMIC_FROM) return logarithmicAxis(least, most);
  const from = Math.max(least, -LARGEST);
  const to = Math.min(most, LARGEST);
  // Values that are all the same are in the middle.
  const isFlat = to - from <= Math.max(Math.abs(to) * 1e-9, 1e-300);
  const room = !isFlat ? 0 : Math.abs(to) > 1e-290 ? Math.abs(to) / 10 : 1;
  const numbers = roundNumbers(from - room, to + room, { outward: true });
  return axisOf(numbers[0]!, numbers.at(-1)!, numbers, textsOf(numbers));
}

/** An axis for what is counted or measured: it begins and ends where that does. */
export function exactAxis(from: number, to: number, isWhole: boolean): Axis {
  if (from === to) return axisOf(from - 1, to + 1, [from], [String(from)]);
  const numbers = roundNumbers(from, to, { isWhole });
  return axisOf(from, to, numbers, textsOf(numbers));
}

function logarithmicAxis(least: number, most: number): Axis {
  const [from, to] = [Math.log10(least), Math.log10(most)];
  const powers = roundNumbers(from, to, { isWhole: true });
  const texts = powers.map((power) => Math.abs(power) > 4 ? `1e${power}` : `${10 ** power}`);
  const axis = axisOf(from, to, powers, texts);
  return { ...axis, at: (value) => axis.at(Math.log10(value)), isLogarithmic: true };
}

function axisOf(
  from: number,
  to: number,
  numbers: readonly number[],
  texts: readonly string[],
): Axis {
  const at = (value: number): number => Math.min(Math.max((value - from) / (to - from), 0), 1);
  return {
    at,
    ticks: numbers.map((n, i) => ({ at: at(n), text: texts[i]! })),
    isLogarithmic: false,
  };
}

/** 1, 2 or 5 of a power of ten apart; the first and the last are in the range, or just outside. */
function roundNumbers(
  from: number,
  to: number,
  { isWhole = false, outward = false },
): readonly number[] {
  const least = Math.max((to - from) / PARTS, isWhole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  const first = outward ? Math.floor(from / step) : Math.ceil(from / step);
  const last = outward ? Math.ceil(to / step) : Math.floor(to / step);
  // 3 times 0.1 is a little more than 0.3.
  return Array.from(
    { length: last - first + 1 },
    (_, i) => Number(((first + i) * step).toPrecision(12)),
  );
}

/** All with as many decimals, or all with exponents. */
function textsOf(numbers: readonly number[]): readonly string[] {
  const decimals = Math.max(...numbers.map((n) => String(n).split(".")[1]?.length ?? 0));
  const texts = numbers.map((n) => n.toFixed(Math.min(decimals, 100)));
  const isShort = numbers.every((n, i) => texts[i]!.length <= 8 && !String(n).includes("e"));
  return isShort ? texts : numbers.map((n) => n === 0 ? "0" : n.toExponential());
}
