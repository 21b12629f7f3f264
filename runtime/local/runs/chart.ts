/** The curves of a run's metrics as a picture. */

import { fit } from "../../cells.ts";
import { shortNumber } from "../../quantities.ts";
import type { Metric, Sample } from "../metrics/metrics.ts";
import { type Axis, exactAxis, valueAxis } from "./chart_axis.ts";
import { escaped, svgOf } from "./svg.ts";

type Curve = Pick<Metric, "name" | "samples">;

/** In pixels: the title, a panel without its legend, a row of that, what is right of a plot. */
const HEAD = 48;
const PANEL = 262;
const ROW = 18;
const RIGHT = 76;

/** A curve of more points than there are pixels looks no different. */
const MOST_POINTS = 600;

/** For every curve of a panel: Okabe and Ito's colours, which all eyes tell apart, and dashes. */
const LOOKS = [
  { light: "#0072b2", dark: "#56b4e9", dashes: "none" },
  { light: "#d55e00", dark: "#e69f00", dashes: "7 4" },
  { light: "#00795a", dark: "#2fc79b", dashes: "2 4" },
  { light: "#a8437b", dark: "#e08fbb", dashes: "10 4 2 4" },
] as const;

const coloured = (shade: "light" | "dark"): string =>
  LOOKS.map((look, i) => `.c${i}{color:${look[shade]}}`).join("");

const STYLE = `
svg{font:12px system-ui,sans-serif}
text{fill:#1f2328}.paper{fill:#fff}.small{font-size:11px;fill:#59636e}.grid{stroke:#d1d9e0}
.curve{fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
${coloured("light")}
@media(prefers-color-scheme:dark){
text{fill:#f0f6fc}.paper{fill:#0d1117}.small{fill:#9198a1}.grid{stroke:#30363d}
${coloured("dark")}}
`;

/**
 * A panel for each quantity: the loss of training and that of validation share one. All panels have the
 * same axis of time; where each metric has as many values, their numbers say more than times.
 *
 * @param title of the picture: the run's name.
 * @param started when the run did, in milliseconds since 1970.
 */
export function chartOf(title: string, metrics: readonly Curve[], started: number): string {
  const curves = metrics.map(({ name, samples }) => ({
    name,
    samples: samples.filter(({ value }) => Number.isFinite(value)),
  })).filter(({ samples }) => samples.length > 0);
  const panels = panelsOf(curves);
  const across = acrossOf(curves.map(({ samples }) => samples), started);
  const columns = panels.length < 2 ? 1 : 2;
  const width = columns < 2 ? 640 : 420;
  const legend = ROW *
    Math.max(0, ...panels.map(({ length }) => length > 1 ? Math.ceil(length / 2) : 0));
  const height = PANEL + legend;
  return svgOf({
    size: [width * columns, HEAD + height * Math.ceil(panels.length / columns)],
    title: fit(title, 100),
    desc: curves.map(inWords).join(" "),
    style: STYLE,
    content: [
      '<rect width="100%" height="100%" class="paper"/>',
      `<text x="20" y="32" font-size="17" font-weight="600">${escaped(fit(title, 60))}</text>`,
      ...panels.flatMap((panel, i) => [
        `<g transform="translate(${i % 2 * width} ${HEAD + Math.floor(i / 2) * height})">`,
        ...panelOf(panel, across, [width, height]),
        "</g>",
      ]),
    ],
  });
}

/** What trainings call their data. */
const DATA = /^(train|training|val|valid|validation|test|testing|eval|evaluation|dev)$/;

/** The quantity that a metric measures: of `validation:loss`, `trainLoss` and `loss` it is `loss`. */
function quantityOf(name: string): string {
  const words = name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase().split(/[\s_:/.-]+/);
  return words.filter((word) => !DATA.test(word)).join(" ") || name;
}

/** No panel has two curves that look alike. */
function panelsOf(curves: readonly Curve[]): readonly (readonly Curve[])[] {
  const most = LOOKS.length;
  return [...Map.groupBy(curves, ({ name }) => quantityOf(name)).values()].flatMap((panel) =>
    panel.flatMap((_, i) => i % most === 0 ? [panel.slice(i, i + most)] : [])
  );
}

/** How far to the right a value is. */
interface Across {
  readonly axis: Axis;
  readonly label: string;
  readonly of: (sample: Sample, index: number) => number;
}

function acrossOf(curves: readonly (readonly Sample[])[], started: number): Across {
  const count = curves[0]?.length ?? 1;
  if (curves.every(({ length }) => length === count)) {
    return { axis: exactAxis(1, count, true), label: "step", of: (_, index) => index + 1 };
  }
  const end = Math.max(1, ...curves.map((samples) => samples.at(-1)!.time - started));
  const name = end < 120_000 ? "s" : end < 7_200_000 ? "min" : "h";
  const unit = { s: 1000, min: 60_000, h: 3_600_000 }[name];
  return {
    axis: exactAxis(0, end / unit, false),
    label: `time since the start (${name})`,
    of: ({ time }) => (time - started) / unit,
  };
}

function panelOf(
  panel: readonly Curve[],
  across: Across,
  [width, height]: readonly [number, number],
): readonly string[] {
  const upward = valueAxis(...rangeOf(panel.flatMap(({ samples }) => samples)));
  // A digit of a small label has 6.6 pixels.
  const left = 44 + Math.ceil(6.6 * Math.max(...upward.ticks.map(({ text }) => text.length)));
  const [right, top, bottom] = [width - RIGHT, height - PANEL + 40, height - 52];
  const x = (at: number): number => Number((left + at * (right - left)).toFixed(1));
  const y = (at: number): number => Number((bottom - at * (bottom - top)).toFixed(1));
  const label = (text: string, place: string, anchor = "middle"): string =>
    `<text class="small" ${place} text-anchor="${anchor}">${text}</text>`;
  const lasts = panel.map(({ samples }) => samples.at(-1)!.value);
  const heights = apart(lasts.map((last) => y(upward.at(last))));
  const name = panel.length > 1 ? quantityOf(panel[0]!.name) : panel[0]!.name;
  return [
    `<text x="20" y="24" font-size="13" font-weight="600">${escaped(fit(name, 44))}</text>`,
    ...upward.ticks.flatMap(({ at, text }) => [
      `<path d="M${left} ${y(at)}H${right}" class="grid"/>`,
      label(text, `x="${left - 8}" y="${y(at) + 4}"`, "end"),
    ]),
    ...across.axis.ticks.flatMap(({ at, text }) => [
      `<path d="M${x(at)} ${bottom}v5" class="grid"/>`,
      label(text, `x="${x(at)}" y="${bottom + 19}"`),
    ]),
    label(across.label, `x="${x(0.5)}" y="${bottom + 37}"`),
    upward.isLogarithmic
      ? label("logarithmic", `transform="translate(24 ${y(0.5)}) rotate(-90)"`)
      : "",
    ...panel.flatMap(({ name, samples }, i) => {
      const points = pointsOf(samples.map(({ value }) => value)).map((index) => {
        const sample = samples[index]!;
        return [x(across.axis.at(across.of(sample, index))), y(upward.at(sample.value))] as const;
      });
      const [endX, endY] = points.at(-1)!;
      const line = `class="curve" stroke-dasharray="${LOOKS[i]!.dashes}"`;
      const row = [20 + i % 2 * (width - 40) / 2, 46 + Math.floor(i / 2) * ROW] as const;
      return [
        `<g class="c${i}">`,
        panel.length > 1 ? `<path d="M${row[0]} ${row[1] - 4}h26" ${line}/>` : "",
        panel.length > 1
          ? `<text x="${row[0] + 34}" y="${row[1]}">${escaped(fit(name, 22))}</text>`
          : "",
        `<polyline points="${points.join(" ")}" ${line}/>`,
        `<circle cx="${endX}" cy="${endY}" r="3.5" fill="currentColor"/>`,
        `<text x="${right + 9}" y="${heights[i]! + 4}" font-weight="600">${
          endText(lasts[i]!)
        }</text>`,
        "</g>",
      ];
    }),
  ];
}

/** Heights of labels, moved up until each can be read. */
function apart(heights: readonly number[]): readonly number[] {
  let free = Infinity;
  const moved = [...heights.entries()].sort(([, a], [, b]) => b - a).map(([i, height]) => {
    const place = Math.min(height, free);
    free = place - 14;
    return [i, place] as const;
  });
  return moved.sort(([a], [b]) => a - b).map(([, place]) => place);
}

/** A number that has room beside its curve. */
function endText(value: number): string {
  const text = String(Number(value.toPrecision(4)));
  return text.length <= 8 && text !== "Infinity" ? text : value.toExponential(2);
}

function rangeOf(samples: readonly Sample[]): [least: number, most: number] {
  return samples.reduce<[number, number]>(
    ([least, most], { value }) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
}

/** Which values are drawn: all, or of each stretch the least and the most, so that peaks stay. */
function pointsOf(values: readonly number[]): readonly number[] {
  const size = Math.ceil(values.length / (MOST_POINTS / 2));
  const kept = new Set([0, values.length - 1]);
  for (let start = 0; start < values.length; start += size) {
    const stretch = values.slice(start, start + size);
    kept.add(start + stretch.indexOf(Math.min(...stretch)));
    kept.add(start + stretch.indexOf(Math.max(...stretch)));
  }
  return [...kept].sort((a, b) => a - b);
}

/** The same for who does not see it. */
function inWords({ name, samples }: Curve): string {
  const [least, most] = rangeOf(samples).map(shortNumber);
  const last = shortNumber(samples.at(-1)!.value);
  return `${fit(name, 60)}: ${samples.length} values from ${least} to ${most}, the last ${last}.`;
}
