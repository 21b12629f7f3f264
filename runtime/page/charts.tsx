/** The metrics of runs: a chart each, with the curves of all runs over each other. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Curve } from "./api.ts";
import { Chart, type ChartContent, type ChartLine } from "./chart.ts";
import { type Line, rangeOf, smoothed } from "./curves.ts";
import { numberText } from "./text.ts";

/** A run whose curves are shown. */
export interface ChartedRun {
  readonly name: string;
  readonly colour: string;
  readonly curves: Readonly<Record<string, Curve>>;
}

type Range = readonly [from: number, to: number];

/** How the curves are shown. */
interface Look {
  readonly x: "step" | "time";
  readonly isLogarithmic: boolean;
  /** From 0 to less than 1. */
  readonly smoothing: number;
  /** By metric; of one that is not here, all of x is shown. */
  readonly zooms: Readonly<Record<string, Range>>;
}

/** So many charts are drawn unasked. */
const FIRST = 12;

export function Charts({ runs }: { readonly runs: readonly ChartedRun[] }): JSX.Element {
  const [look, setLook] = useState<Look>(
    { x: "step", isLogarithmic: false, smoothing: 0, zooms: {} },
  );
  const [areAll, setAll] = useState(false);
  const change = (part: Partial<Look>): void => setLook((before) => ({ ...before, ...part }));
  const names = [...new Set(runs.flatMap(({ curves }) => Object.keys(curves)))].sort();
  const metrics = names.flatMap((name) => {
    const lines = linesOf(runs, name, look);
    const whole = rangeOf(lines);
    const zoom = Object.hasOwn(look.zooms, name) ? look.zooms[name] : undefined;
    return whole ? [{ name, lines, range: zoom ?? whole }] : [];
  });
  if (metrics.length === 0) {
    return <p>No metrics: metric_definitions in the configuration file says how to find them.</p>;
  }
  const move = (size: number, shift: number): void => {
    const moves = metrics.map(({ name, range }) => [name, moved(range, size, shift)]);
    change({ zooms: Object.fromEntries(moves) });
  };
  const shown = areAll ? metrics : metrics.slice(0, FIRST);
  return (
    <div class="charts">
      <Controls look={look} onChange={change} onMove={move} />
      <div class="panels">
        {shown.map(({ name, lines, range }) => (
          <Panel
            key={name}
            name={name}
            content={{ lines, range, isLogarithmic: look.isLogarithmic, x: look.x }}
            onZoom={(zoom) => change({ zooms: { ...look.zooms, [name]: zoom } })}
          />
        ))}
      </div>
      {shown.length < metrics.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {metrics.length} metrics
        </button>
      )}
    </div>
  );
}

function linesOf(
  runs: readonly ChartedRun[],
  metric: string,
  { x, smoothing }: Look,
): readonly ChartLine[] {
  const colours = new Map<string, number>();
  return runs.flatMap(({ name, colour, curves }) => {
    const round = colours.get(colour) ?? 0;
    colours.set(colour, round + 1);
    if (!Object.hasOwn(curves, metric)) return [];
    // The second with a colour has dashes, the third dots.
    const dash = [[], [8, 4], [2, 3]][Math.min(round, 2)]!;
    return [{ name, colour, dash, ...line(curves[metric]!, x, smoothing) }];
  });
}

/** What was computed of a curve, which is often drawn again. */
const computed = new WeakMap<Curve, { readonly look: string; readonly line: Line }>();

function line(curve: Curve, x: Look["x"], smoothing: number): Line {
  const look = `${x} ${smoothing}`;
  const known = computed.get(curve);
  if (known?.look === look) return known.line;
  const line = {
    x: x === "time" ? curve.time : curve.value.map((_, at) => at + 1),
    y: smoothed(curve.value, smoothing),
  };
  computed.set(curve, { look, line });
  return line;
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
  ["To the left", "←", 1, -0.25],
  ["To the right", "→", 1, 0.25],
] as const;

function Controls({ look, onChange, onMove }: {
  readonly look: Look;
  readonly onChange: (part: Partial<Look>) => void;
  readonly onMove: (size: number, shift: number) => void;
}): JSX.Element {
  return (
    <form
      class="controls"
      aria-label="How the curves are shown"
      onSubmit={(e) => e.preventDefault()}
    >
      <label>
        Over{" "}
        <select
          value={look.x}
          onChange={(e) => onChange({ x: e.currentTarget.value as Look["x"], zooms: {} })}
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
      <span role="group" aria-label="Range">
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
          disabled={Object.keys(look.zooms).length === 0}
          onClick={() => onChange({ zooms: {} })}
        >
          All
        </button>
      </span>
    </form>
  );
}

function Panel({ name, content, onZoom }: {
  readonly name: string;
  readonly content: ChartContent;
  readonly onZoom: (range: Range) => void;
}): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [point, setPoint] = useState("");
  useEffect(() => {
    const events = {
      onZoom: (range: Range) => zoom.current(range),
      onPoint: setPoint,
    };
    chart.current = new Chart(element.current!, events);
    return () => chart.current!.close();
  }, []);
  useEffect(() => chart.current!.show(content));
  const words = useMemo(() => wordsOf(name, content), [name, content]);
  return (
    <figure class="panel">
      <figcaption>
        <bdi>{name}</bdi>
      </figcaption>
      <div ref={element} role="img" aria-label={words} />
      <div class="point">{point || "\u00a0"}</div>
    </figure>
  );
}

/** What a chart shows, for who does not see it. */
function wordsOf(name: string, { lines, isLogarithmic }: ChartContent): string {
  const each = lines.slice(0, 10).map(({ name, y }) =>
    y.length === 0 ? `${name} without a value` : `${name} ends at ${numberText(y.at(-1)!)}`
  );
  const more = lines.length > 10 ? `, and ${lines.length - 10} more` : "";
  return `Chart of ${name}${isLogarithmic ? ", log scale" : ""}: ${each.join(", ")}${more}`;
}
