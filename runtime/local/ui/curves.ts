/** The values of a run's metrics, as `metrics.csv` has them: many lines, read in one go. */

import {
  DEFINITION_KEYS,
  MOST_DEFINITIONS,
  MOST_SAMPLES,
} from "../../contract/metric_definitions.ts";
import type { Curve, CurvesPart } from "../../page/api.ts";

/** A curve that grows. */
interface Growing extends Curve {
  readonly time: (number | null)[];
  readonly value: number[];
}

/**
 * Reads the values in whole lines (RFC 4180, with \n) and skips other lines, such as the header row. A
 * clone's file can hold more lines and metrics, and longer names, than mlcli writes: it skips these.
 *
 * @param from where these bytes begin in the file.
 * @param started in ms: when the run began.
 */
export function curvesIn(bytes: Uint8Array, from: number, started: number): CurvesPart {
  // One letter a byte: places in it are places in the file.
  const text = new TextDecoder("latin1").decode(bytes);
  const curves: [name: string, Growing][] = [];
  const byField = new Map<string, Growing>();
  let [start, lines] = [0, 0];
  for (; lines <= MOST_SAMPLES; lines++) {
    const nameAt = text.indexOf(",", start) + 1;
    if (nameAt === 0) break;
    const nameEnd = endOfField(text, nameAt);
    const end = nameEnd === undefined ? -1 : text.indexOf("\n", nameEnd);
    if (end < 0) break;
    const value = Number(text.slice(nameEnd! + 1, end) || NaN);
    // A value that was found in a log has no time.
    const time = nameAt - 1 === start ? null : Date.parse(text.slice(start, nameAt - 1)) - started;
    const field = text.slice(nameAt, nameEnd);
    start = end + 1;
    if (!Number.isFinite(value) || !Number.isFinite(time ?? 0)) continue;
    let curve = byField.get(field);
    if (curve === undefined) {
      const name = nameOf(bytes.subarray(nameAt, nameEnd));
      if (curves.length === MOST_DEFINITIONS || [...name].length > DEFINITION_KEYS.Name) continue;
      curve = { time: [], value: [] };
      byField.set(field, curve);
      curves.push([name, curve]);
    }
    curve.time.push(time);
    curve.value.push(value);
  }
  // mlcli writes no further lines: with the end of the file as `next`, no reader asks for them.
  if (lines > MOST_SAMPLES) start = bytes.length;
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
