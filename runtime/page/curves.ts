/** Curves as numbers: what is computed of them before they are drawn. */

import type { Curve } from "./api.ts";

/** A curve of so many points at most: of each part, the least and the most value stay. */
export function thinned({ time, value }: Curve, most: number): Curve {
  const parts = Math.floor(most / 2);
  if (value.length <= most || parts < 1) return { time, value };
  const kept: number[] = [];
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((part * value.length) / parts);
    const to = Math.floor(((part + 1) * value.length) / parts);
    kept.push(...extremes(value, from, to));
  }
  return { time: kept.map((at) => time[at]!), value: kept.map((at) => value[at]!) };
}

/** Where the least and the most value of a part are, in their order; one, where they are the same. */
function extremes(values: readonly number[], from: number, to: number): readonly number[] {
  let [least, most] = [from, from];
  for (let at = from + 1; at < to; at++) {
    if (values[at]! < values[least]!) least = at;
    if (values[at]! > values[most]!) most = at;
  }
  if (least === most) return [least];
  return least < most ? [least, most] : [most, least];
}

/**
 * Values that follow the given ones with inertia.
 *
 * @param weight of what was before, from 0 (nothing is changed) to less than 1. The first values count as
 * much as they would if there had always been some, so the curve does not begin at 0.
 */
export function smoothed(values: readonly number[], weight: number): readonly number[] {
  if (weight === 0) return values;
  let [sum, weights] = [0, 0];
  return values.map((value) => {
    sum = sum * weight + value;
    weights = weights * weight + 1;
    return sum / weights;
  });
}

/** What is drawn: values over x, which never goes back. */
export interface Line {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export type Range = readonly [from: number, to: number];

export function lineOf({ time, value }: Curve, x: "step" | "time", smoothing: number): Line {
  const y = smoothed(value, smoothing);
  if (x === "step") return { x: value.map((_, at) => at + 1), y };
  const timed = time.flatMap((one, at) => one === null ? [] : [[one, y[at]!] as const]);
  return { x: timed.map(([one]) => one), y: timed.map(([, one]) => one) };
}

/** Values of several lines over the same x; `null` where a line has none there. */
export interface Grid {
  readonly x: readonly number[];
  readonly rows: readonly (readonly (number | null)[])[];
}

/**
 * What is to be seen of lines in a range, at most two values a column: the least and the most of those
 * that fall into it. So it takes as long to draw many points as few, and no peak is lost.
 */
export function gridOf(lines: readonly Line[], from: number, to: number, columns: number): Grid {
  const step = (to - from) / (2 * columns - 1);
  const x = Array.from({ length: 2 * columns }, (_, at) => from + at * step);
  return { x, rows: lines.map((line) => rowOf(line, from, to, step, x.length)) };
}

function rowOf(
  { x, y }: Line,
  from: number,
  to: number,
  step: number,
  length: number,
): readonly (number | null)[] {
  const row = new Array<number | null>(length).fill(null);
  const place = (at: number): number => Math.round((x[at]! - from) / step);
  const columnOf = (at: number): number => place(at) >> 1;
  const end = x.findLastIndex((place) => place <= to) + 1;
  const before = x.findLastIndex((place) => place < from);
  for (let at = before + 1; at < end;) {
    const column = columnOf(at);
    let next = at + 1;
    while (next < end && columnOf(next) === column) next++;
    const kept = next - at === 2 ? [at, at + 1] : extremes(y, at, next);
    if (kept.length === 1) row[place(kept[0]!)] = y[kept[0]!]!;
    else kept.forEach((one, half) => row[2 * column + half] = y[one]!);
    at = next;
  }
  // Where a line comes into the range and leaves it.
  row[0] ??= between({ x, y }, before, from);
  row[length - 1] ??= between({ x, y }, end - 1, to);
  return row;
}

function between({ x, y }: Line, at: number, place: number): number | null {
  if (at < 0 || at + 1 >= x.length) return null;
  const part = (place - x[at]!) / (x[at + 1]! - x[at]!);
  return y[at]! + part * (y[at + 1]! - y[at]!);
}

/** The least and the most x of lines; `undefined` where there is no point. */
export function rangeOf(lines: readonly Line[]): Range | undefined {
  const ends = lines.flatMap(({ x }) => x.length > 0 ? [x[0]!, x.at(-1)!] : []);
  if (ends.length === 0) return undefined;
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  return from === to ? [from - 1, to + 1] : [from, to];
}
