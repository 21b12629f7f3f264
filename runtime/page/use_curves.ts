/** Curves of runs: fetched once, and followed while they grow. */

import { useEffect, useState } from "preact/hooks";
import type { Curve, CurvesPart, ListedRun } from "./api.ts";
import type { Source } from "./source.ts";

type Curves = CurvesPart["curves"];

/** What has been fetched, for all views: they come and go. */
const fetched = new WeakMap<Source, Map<string, CurvesPart>>();
const busy = new Set<string>();

/** The curves of each run, as far as they are here. */
export function useCurves(source: Source, runs: readonly ListedRun[]): (name: string) => Curves {
  const [version, setVersion] = useState(0);
  const parts = fetched.get(source) ?? new Map<string, CurvesPart>();
  fetched.set(source, parts);
  const sizes = runs.map(({ name, curve_bytes }) => `${name} ${curve_bytes}`).join("\n");
  useEffect(() => {
    for (const { name, curve_bytes } of runs) {
      if (curve_bytes <= (parts.get(name)?.next ?? 0) || busy.has(name)) continue;
      busy.add(name);
      follow(source, name, curve_bytes, parts)
        .finally(() => busy.delete(name))
        // A failure is said by the line of the connection; the next event tries again.
        .then(() => setVersion((version) => version + 1), () => {});
    }
  }, [sizes, source, version]);
  return (name) => parts.get(name)?.curves ?? NO_CURVES;
}

const NO_CURVES: Curves = {};

async function follow(
  source: Source,
  name: string,
  size: number,
  parts: Map<string, CurvesPart>,
): Promise<void> {
  let [from, next] = [-1, parts.get(name)?.next ?? 0];
  while (next > from && next < size) {
    const part = await source.curves(name, next);
    [from, next] = [next, part.next];
    parts.set(name, { next, curves: joined(parts.get(name)?.curves ?? NO_CURVES, part.curves) });
  }
}

/** Each curve with what has come of it. */
export function joined(before: Curves, more: Curves): Curves {
  const curves = new Map<string, Curve>(Object.entries(before));
  for (const [name, { time, value }] of Object.entries(more)) {
    const old = curves.get(name) ?? { time: [], value: [] };
    curves.set(name, { time: [...old.time, ...time], value: [...old.value, ...value] });
  }
  return Object.fromEntries(curves);
}
