/** The metrics of runs: a chart each, with the curves of all runs over each other. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ListedRun } from "./api.ts";
import { Chart, type ChartContent } from "./chart.ts";
import { lineOf, type Range, rangeOf } from "./curves.ts";
import { usePage } from "./parts.tsx";
import { shortNumber } from "../quantities.ts";
import { own } from "../text.ts";
import { type DrawnRun, useCurves } from "./use_curves.ts";

/** How the curves are shown. */
interface Look {
  readonly x: "step" | "time";
  readonly isLogarithmic: boolean;
  /** From 0 to less than 1. */
  readonly smoothing: number;
  /** By metric; of one that is not here, all of x is shown. */
  readonly zooms: ReadonlyMap<string, Range>;
}

/** So many charts are drawn unasked. */
const FIRST = 12;

export function Charts({ runs }: { readonly runs: readonly ListedRun[] }): JSX.Element {
  const drawn = useCurves(usePage().source, runs);
  const [look, setLook] = useState<Look>(
    { x: "step", isLogarithmic: false, smoothing: 0, zooms: new Map() },
  );
  const [areAll, setAll] = useState(false);
  const charts = useMemo(() => chartsOf(drawn, look), [drawn, look]);
  if (drawn.every(({ curves }) => Object.values(curves).every(({ value }) => value.length < 2))) {
    if (!drawn.every(({ isWhole }) => isWhole)) return <p>Loading…</p>;
    return <p>No curves. Define metrics with metric_definitions in the configuration file.</p>;
  }
  const change = (part: Partial<Look>): void => setLook((before) => ({ ...before, ...part }));
  const move = (size: number, shift: number): void =>
    change({
      zooms: new Map(charts.map(({ metric, range }) => [metric, moved(range, size, shift)])),
    });
  const zoom = (metric: string, range: Range | undefined): void =>
    setLook((before) => {
      const zooms = new Map(before.zooms);
      if (range) zooms.set(metric, range);
      else zooms.delete(metric);
      return { ...before, zooms };
    });
  return (
    <>
      <Controls look={look} onChange={change} onMove={move} />
      <div class="panels">
        {charts.slice(0, areAll ? undefined : FIRST).map((chart) => (
          <Panel key={chart.metric} chart={chart} onZoom={zoom} />
        ))}
      </div>
      {charts.length > FIRST && !areAll && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {charts.length} metrics
        </button>
      )}
    </>
  );
}

/** Returns no chart of a metric that has a single value in each run: the tables have its number. */
function chartsOf(
  runs: readonly DrawnRun[],
  { x, isLogarithmic, smoothing, zooms }: Look,
): readonly ChartContent[] {
  const metrics = new Set(runs.flatMap(({ curves }) => Object.keys(curves)));
  return [...metrics].sort().flatMap((metric) => {
    const lines = runs.flatMap(({ name, curves }) => {
      const curve = own(curves, metric);
      return curve ? [{ run: name, ...lineOf(curve, x, smoothing) }] : [];
    });
    if (lines.every(({ y }) => y.length < 2)) return [];
    const range = zooms.get(metric) ?? rangeOf(lines);
    return range ? [{ metric, lines, range, isLogarithmic, x }] : [];
  });
}

/** A range that is `size` times as long, and lies `shift` times its length further on. */
function moved([from, to]: Range, size: number, shift: number): Range {
  const centre = (from + to) / 2 + shift * (to - from);
  const half = (size * (to - from)) / 2;
  return [centre - half, centre + half];
}

const MOVES = [
  ["Zoom in", "+", 0.5, 0],
  ["Zoom out", "−", 2, 0],
  ["Move left", "←", 1, -0.25],
  ["Move right", "→", 1, 0.25],
] as const;

function Controls({ look, onChange, onMove }: {
  readonly look: Look;
  readonly onChange: (part: Partial<Look>) => void;
  readonly onMove: (size: number, shift: number) => void;
}): JSX.Element {
  return (
    <div class="tools" role="group" aria-label="Chart settings">
      <label>
        X axis{" "}
        <select
          value={look.x}
          onChange={(e) => onChange({ x: e.currentTarget.value as Look["x"], zooms: new Map() })}
        >
          <option value="step">steps</option>
          <option value="time">time</option>
        </select>
      </label>
      <label>
        Smoothing{" "}
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={look.smoothing}
          onInput={(e) => onChange({ smoothing: Number(e.currentTarget.value) })}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={look.isLogarithmic}
          onChange={(e) => onChange({ isLogarithmic: e.currentTarget.checked })}
        />{" "}
        Log scale
      </label>
      <span role="group" aria-label="Zoom and move">
        {MOVES.map(([name, sign, size, shift]) => (
          <button
            type="button"
            key={name}
            aria-label={name}
            onClick={() => onMove(size, shift)}
          >
            {sign}
          </button>
        ))}
        <button
          type="button"
          disabled={look.zooms.size === 0}
          onClick={() => onChange({ zooms: new Map() })}
        >
          Reset zoom
        </button>
      </span>
    </div>
  );
}

function Panel({ chart, onZoom }: {
  readonly chart: ChartContent;
  readonly onZoom: (metric: string, range: Range | undefined) => void;
}): JSX.Element {
  const { metric } = chart;
  const element = useRef<HTMLDivElement>(null);
  const drawing = useRef<Chart>(null);
  const [point, setPoint] = useState("");
  useEffect(() => {
    const zoom = (range?: Range): void => onZoom(metric, range);
    drawing.current = new Chart(element.current!, zoom, setPoint);
    return () => drawing.current!.close();
  }, []);
  useEffect(() => drawing.current!.show(chart), [chart]);
  return (
    <figure>
      <figcaption>{metric}</figcaption>
      <div ref={element} role="img" aria-label={wordsOf(chart)} />
      <small>{point || "\u00a0"}</small>
    </figure>
  );
}

/** What a chart shows, for who does not see it. */
function wordsOf({ metric, lines, isLogarithmic }: ChartContent): string {
  const ends = lines.slice(0, 10).map(({ run, y }) =>
    y.length === 0 ? `${run} has no values` : `${run} ends at ${shortNumber(y.at(-1)!)}`
  );
  const more = lines.length > 10 ? `, and ${lines.length - 10} more` : "";
  return `Chart of ${metric}${isLogarithmic ? ", log scale" : ""}: ${ends.join(", ")}${more}`;
}
