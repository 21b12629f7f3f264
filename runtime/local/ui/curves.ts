/** The values of a run's metrics, as `metrics.csv` has them: many lines, read in one go. */

import type { Curve, CurvesPart } from "../../page/api.ts";

/** A curve that grows. */
interface Growing extends Curve {
  readonly time: number[];
  readonly value: number[];
}

/**
 * The values in whole lines (RFC 4180, with \n). What is no value of a metric is left out, such as the
 * heading.
 *
 * @param from where these bytes begin in the file.
 * @param started in ms: when the run began.
 */
export function curvesIn(bytes: Uint8Array, from: number, started: number): CurvesPart {
  // One letter a byte: places in it are places in the file.
  const text = new TextDecoder("latin1").decode(bytes);
  const curves = new Map<string, Growing>();
  const byField = new Map<string, Growing>();
  const timeOf = timeReader();
  let start = 0;
  while (true) {
    const nameAt = text.indexOf(",", start) + 1;
    if (nameAt === 0) break;
    const nameEnd = endOfField(text, nameAt);
    const end = nameEnd === undefined ? -1 : text.indexOf("\n", nameEnd);
    if (end < 0) break;
    const value = Number(text.slice(nameEnd! + 1, end) || NaN);
    const time = timeOf(text, start, nameAt - 1);
    const field = text.slice(nameAt, nameEnd);
    start = end + 1;
    if (!Number.isFinite(value) || !Number.isFinite(time)) continue;
    let curve = byField.get(field);
    if (curve === undefined) {
      const name = nameOf(bytes.subarray(nameAt, nameEnd));
      curve = curves.get(name) ?? { time: [], value: [] };
      curves.set(name, curve);
      byField.set(field, curve);
    }
    curve.time.push(time - started);
    curve.value.push(value);
  }
  return { next: from + start, curves: Object.fromEntries(curves) };
}

/** Where a field ends: at a comma, but for those in quotes. `undefined`: not here. */
function endOfField(text: string, start: number): number | undefined {
  let end = start;
  if (text[start] === '"') {
    do {
      end = text.indexOf('"', end + 1);
      if (end < 0) return undefined;
    } while (text[++end] === '"');
  }
  end = text.indexOf(",", end);
  return end < 0 ? undefined : end;
}

function nameOf(field: Uint8Array): string {
  const name = new TextDecoder().decode(field);
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** Reads times of the form `2026-03-01T09:30:00.123Z`: most lines are of the minute of the one before. */
function timeReader(): (text: string, start: number, end: number) => number {
  let minute = "";
  let minuteTime = NaN;
  return (text, start, end) => {
    if (end - start !== 24) return Date.parse(text.slice(start, end));
    if (!text.startsWith(minute, start) || minute === "") {
      minute = text.slice(start, start + 17);
      minuteTime = Date.parse(`${minute}00.000Z`);
    }
    return minuteTime + Math.round(1_000 * Number(text.slice(start + 17, end - 1)));
  };
}
