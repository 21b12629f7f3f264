/** Curves of runs: fetched once, and followed while they grow. */

import { useEffect, useState } from "preact/hooks";
import type { Curve, CurvesPart, ListedRun } from "./api.ts";
import type { Source } from "./source.ts";

type Curves = CurvesPart["curves"];

/** What has been fetched of a run. */
interface Fetched extends CurvesPart {
  /** Of its values, up to which all of them have been asked for, in bytes. */
  readonly size: number;
}

/** By run, for all views: they come and go. */
const fetched = new WeakMap<Source, Map<string, Fetched>>();
const busy = new Set<string>();

const NOTHING: Fetched = { next: 0, curves: {}, size: 0 };

/** After a failure, of which the line of the connection tells, in ms. */
const PAUSE = 2_000;

/** The curves of each run, as far as they are here. */
export function useCurves(source: Source, runs: readonly ListedRun[]): (name: string) => Curves {
  const [version, setVersion] = useState(0);
  const known = fetched.get(source) ?? new Map<string, Fetched>();
  fetched.set(source, known);
  const sizes = runs.map(({ name, curve_bytes }) => `${name} ${curve_bytes}`).join("\n");
  useEffect(() => {
    const again = (): void => setVersion((version) => version + 1);
    for (const { name, curve_bytes } of runs) {
      const before = known.get(name) ?? NOTHING;
      if (before.size === curve_bytes || busy.has(name)) continue;
      busy.add(name);
      withMore(before, source, name, curve_bytes).finally(() => busy.delete(name))
        .then((now) => (known.set(name, now), again()), () => setTimeout(again, PAUSE));
    }
  }, [sizes, source, version]);
  return (name) => (known.get(name) ?? NOTHING).curves;
}

async function withMore(
  before: Fetched,
  source: Source,
  name: string,
  size: number,
): Promise<Fetched> {
  let { next, curves } = before;
  for (let from = -1; from < next && next < size;) {
    const part = await source.curves(name, next);
    [from, next, curves] = [next, part.next, joined(curves, part.curves)];
  }
  return { next, curves, size };
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
