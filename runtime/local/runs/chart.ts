/** The curves of a run's metrics as a picture, in SVG, which every browser shows. */

import { shortNumber } from "../metrics/messages.ts";
import type { Metric } from "../metrics/metrics.ts";

/** In pixels: the picture, and of each curve the part that it fills. */
const WIDTH = 640;
const PANEL = 200;
const HEAD = 44;
const LEFT = 78;
const RIGHT = WIDTH - 18;
const TOP = 34;
const BOTTOM = PANEL - 30;

/** A curve of more points than there are pixels looks no different. */
const MOST_POINTS = 600;

/**
 * One curve below another, each value at its place in the order in which they came.
 *
 * @param title of the picture: the run's name.
 */
export function chartOf(
  title: string,
  metrics: readonly Pick<Metric, "name" | "samples">[],
): string {
  const drawn = metrics.filter(({ samples }) => samples.length > 0);
  const height = HEAD + PANEL * drawn.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" ` +
    `viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#333">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="18" y="28" font-size="15" font-weight="bold">${escaped(title)}</text>`,
    ...drawn.map(({ name, samples }, index) =>
      panelOf(name, samples.map(({ value }) => value), HEAD + PANEL * index)
    ),
    "</svg>\n",
  ].join("\n");
}

function panelOf(name: string, values: readonly number[], top: number): string {
  const [least, most] = rangeOf(values);
  const last = values.at(-1)!;
  // A flat curve is in the middle.
  const room = most > least ? most - least : 1;
  const y = (value: number): number =>
    most > least
      ? BOTTOM - (Math.min(Math.max(value, least), most) - least) / room * (BOTTOM - TOP)
      : (TOP + BOTTOM) / 2;
  const x = (index: number): number =>
    values.length === 1 ? (LEFT + RIGHT) / 2 : LEFT + index / (values.length - 1) * (RIGHT - LEFT);
  const points = pointsOf(values).map((index) => [x(index), y(values[index]!)] as const);
  const [endX, endY] = points.at(-1)!;
  const label = (text: string, left: number, height: number, anchor: string): string =>
    `<text x="${left}" y="${height}" text-anchor="${anchor}" fill="#666">${text}</text>`;
  return [
    `<g transform="translate(0 ${top})">`,
    `<text x="${LEFT}" y="20"><tspan font-weight="bold">${escaped(shortened(name))}</tspan> ` +
    `<tspan>${shortNumber(last)}</tspan></text>`,
    `<path d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}" fill="none" stroke="#bbb"/>`,
    label(axisNumber(most), LEFT - 8, most > least ? TOP + 4 : (TOP + BOTTOM) / 2 + 4, "end"),
    ...most > least ? [label(axisNumber(least), LEFT - 8, BOTTOM + 4, "end")] : [],
    label("1", LEFT, BOTTOM + 18, "middle"),
    ...values.length > 1 ? [label(String(values.length), RIGHT, BOTTOM + 18, "end")] : [],
    `<polyline points="${
      points.map(([left, height]) => `${fixed(left)},${fixed(height)}`).join(" ")
    }" ` +
    'fill="none" stroke="#1f6feb" stroke-width="1.5" stroke-linejoin="round"/>',
    `<circle cx="${fixed(endX)}" cy="${fixed(endY)}" r="3" fill="#1f6feb"/>`,
    "</g>",
  ].join("\n");
}

function rangeOf(values: readonly number[]): readonly [least: number, most: number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  // Their difference must be a number, too.
  const largest = Number.MAX_VALUE / 4;
  return [Math.max(least, -largest), Math.min(most, largest)];
}

/** Which values are drawn: all, or of each stretch the least and the most, so that peaks stay. */
function pointsOf(values: readonly number[]): readonly number[] {
  if (values.length <= MOST_POINTS) return values.map((_, index) => index);
  const chosen = new Set([0]);
  const stretches = MOST_POINTS / 2;
  for (let stretch = 0; stretch < stretches; stretch++) {
    const start = Math.floor(stretch * values.length / stretches);
    const end = Math.floor((stretch + 1) * values.length / stretches);
    let [least, most] = [start, start];
    for (let index = start; index < end; index++) {
      if (values[index]! < values[least]!) least = index;
      if (values[index]! > values[most]!) most = index;
    }
    chosen.add(least).add(most);
  }
  return [...chosen.add(values.length - 1)].sort((a, b) => a - b);
}

/** A number for which there is room beside the axis. */
function axisNumber(value: number): string {
  const text = String(Number(value.toPrecision(4)));
  return text.length <= 9 ? text : value.toExponential(2);
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** A name of a metric may have 255 characters. */
function shortened(name: string): string {
  const letters = [...name];
  return letters.length <= 60 ? name : `${letters.slice(0, 57).join("")}...`;
}

/** Text in XML, which has no control characters, not even escaped. */
function escaped(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\uFFFE\uFFFF]/gu, "?")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
