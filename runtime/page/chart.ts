/** One chart, by uPlot. */

import uPlot from "uplot";
import { gridOf, type Line, type Range } from "./curves.ts";
import { lookOf } from "./looks.ts";
import { shortNumber } from "../quantities.ts";
import { spanText } from "./text.ts";

interface RunLine extends Line {
  readonly run: string;
}

/** What a chart shows. */
export interface ChartContent {
  readonly metric: string;
  readonly lines: readonly RunLine[];
  readonly range: Range;
  readonly isLogarithmic: boolean;
  /** What x is: the number of a value, or milliseconds since the run began. */
  readonly x: "step" | "time";
}

const HEIGHT = 220;

/** How near, in pixels, the pointer has to be. */
const NEAR = 24;

export class Chart {
  #plot: uPlot | undefined;
  #look = "";
  #content: ChartContent | undefined;
  readonly #resized: ResizeObserver;
  readonly #scheme = matchMedia("(prefers-color-scheme: dark)");
  readonly #redraw = (): void => this.#draw();

  /**
   * @param onZoom told a part that was marked with the pointer; nothing, after two clicks: all of it.
   * @param onPoint told the value that the pointer is near, in words; empty: none.
   */
  constructor(
    private readonly element: HTMLElement,
    private readonly onZoom: (range?: Range) => void,
    private readonly onPoint: (text: string) => void,
  ) {
    this.#resized = new ResizeObserver(this.#redraw);
    this.#resized.observe(element);
    this.#scheme.addEventListener("change", this.#redraw);
  }

  show(content: ChartContent): void {
    this.#content = content;
    this.#draw();
  }

  close(): void {
    this.#resized.disconnect();
    this.#scheme.removeEventListener("change", this.#redraw);
    this.#plot?.destroy();
  }

  /** Values alone change what is there; all else needs another plot. */
  #draw(): void {
    const width = this.element.clientWidth;
    if (this.#content === undefined || width === 0) return;
    const { lines, range: [from, to], isLogarithmic, x } = this.#content;
    const drawn = isLogarithmic ? lines.map(positive) : lines;
    const grid = gridOf(drawn, from, to, width);
    const data = [grid.x, ...grid.rows] as unknown as uPlot.AlignedData;
    const runs = lines.map(({ run, x }) => [run, x.length === 1]);
    const look = JSON.stringify([width, isLogarithmic, x, this.#scheme.matches, runs]);
    if (look === this.#look) return this.#plot!.setData(data);
    this.#look = look;
    this.#plot?.destroy();
    this.#plot = new uPlot(this.#options(width, this.#content), data, this.element);
  }

  #options(width: number, { lines, isLogarithmic, x }: ChartContent): uPlot.Options {
    const stroke = getComputedStyle(this.element).color;
    const grid = { stroke: "rgba(128, 128, 128, 0.25)", width: 1 };
    const axis = { stroke, grid, ticks: grid };
    const stepText = (value: number): string => Number.isInteger(value) ? String(value) : "";
    const textOf = x === "step" ? stepText : spanText;
    let near: number | null = null;
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      focus: { alpha: 0.3 },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => (this.onZoom(), null) },
        focus: { prox: NEAR },
        points: { show: false },
        dataIdx: (plot, series, index) => nearest(plot.data[series]!, index),
      },
      scales: {
        // The grid has just what is to be seen.
        x: { time: false, range: (_, from, to) => [from, to] },
        y: { distr: isLogarithmic ? 3 : 1 },
      },
      series: [
        {},
        ...lines.map(({ run, x }): uPlot.Series => {
          const { colour, dash } = lookOf(run);
          const line = { stroke: colour, dash: [...dash], width: 1.5, spanGaps: true };
          // A single value has no line.
          return { ...line, points: { show: x.length === 1, size: 7 } };
        }),
      ],
      axes: [
        { ...axis, space: 70, size: 32, values: (_, values) => values.map(textOf) },
        { ...axis, size: widthOf, values: (_, values) => values.map(tickText) },
      ],
      hooks: {
        setSelect: [(plot) => {
          const { left, width } = plot.select;
          if (width < 2) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.onZoom([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
        }],
        setSeries: [(_, series) => near = series],
        setCursor: [(plot) => {
          const at = near === null ? undefined : plot.cursor.idxs?.[near];
          const value = at === null || at === undefined ? null : plot.data[near!]![at];
          if (value === null || value === undefined) return this.onPoint("");
          const place = plot.data[0][at!]!;
          const where = x === "step" ? `step ${Math.round(place)}` : spanText(place);
          this.onPoint(`${lines[near! - 1]!.run}: ${shortNumber(value)} at ${where}`);
        }],
      },
    };
  }
}

/** With as many digits as it takes to tell two of them apart; a logarithmic axis leaves some out. */
function tickText(value: number | null): string {
  const text = value === null ? "" : String(Number(value.toPrecision(12)));
  return text.length > 12 ? value!.toExponential(3) : text;
}

/** The room in pixels for what stands beside an axis. */
function widthOf(_: uPlot, texts: readonly string[] | null): number {
  return 24 + 8 * Math.max(3, ...(texts ?? []).map(({ length }) => length));
}

/** On a logarithmic axis there is nothing but what is more than 0. */
function positive<L extends Line>(line: L): L {
  const kept = line.y.flatMap((value, at) => value > 0 ? [at] : []);
  return { ...line, x: kept.map((at) => line.x[at]!), y: kept.map((at) => line.y[at]!) };
}

/** The place with a value that is nearest to an index. */
function nearest(values: ArrayLike<number | null | undefined>, index: number): number {
  for (let distance = 0; distance < values.length; distance++) {
    for (const at of [index - distance, index + distance]) {
      if (values[at] !== null && values[at] !== undefined) return at;
    }
  }
  return index;
}
