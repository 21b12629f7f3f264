/** Curves of runs: fetched once, and followed while they grow. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Curve, CurvesPart, ListedRun } from "./api.ts";
import type { Source } from "./source.ts";

type Curves = CurvesPart["curves"];

/** A run and its curves, as far as they are here. */
export interface DrawnRun {
  readonly name: string;
  readonly curves: Curves;
  /** Whether that is all that there is. */
  readonly isWhole: boolean;
}

/** What has been fetched of a run. */
interface Fetched extends CurvesPart {
  /** Of its values, up to which all of them have been asked for, in bytes. */
  readonly size: number;
}

const NOTHING: Fetched = { next: 0, curves: {}, size: 0 };

/** By run, for all views: they come and go. */
const fetched = new Map<string, Fetched>();
const busy = new Set<string>();

/** After a failure, of which the line of the connection tells, in ms. */
const PAUSE = 2_000;

/** The same ones again while nothing has come. */
export function useCurves(source: Source, runs: readonly ListedRun[]): readonly DrawnRun[] {
  const [version, setVersion] = useState(0);
  const sizes = runs.map(({ name, curve_bytes }) => `${name} ${curve_bytes}`).join("\n");
  useEffect(() => {
    const again = (): void => setVersion((version) => version + 1);
    for (const { name, curve_bytes } of runs) {
      const before = fetched.get(name) ?? NOTHING;
      if (before.size === curve_bytes || busy.has(name)) continue;
      busy.add(name);
      withMore(before, source, name, curve_bytes).finally(() => busy.delete(name))
        .then((now) => (fetched.set(name, now), again()), () => setTimeout(again, PAUSE));
    }
  }, [sizes, version]);
  return useMemo(
    () =>
      runs.map(({ name, curve_bytes }) => {
        const { curves, size } = fetched.get(name) ?? NOTHING;
        return { name, curves, isWhole: size === curve_bytes };
      }),
    [sizes, version],
  );
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
