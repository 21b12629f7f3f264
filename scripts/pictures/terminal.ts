/** The picture of a terminal: of one moment, or of all, one after the other. */

import { type Picture, svgOf } from "./svg.ts";
import type { Frame, Line } from "./frames.ts";
import { COLUMNS, ROWS } from "./session.ts";

/** In pixels: a letter and a line, what is around the text, and above it. */
const LETTER = 8.4;
const LINE = 19;
const EDGE = 18;
const HEAD = 40;

/** How long the last moment stays, in ms. */
const LAST = 5_000;

const STYLE = `
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.paper{fill:#f6f8fa;stroke:#d1d9e0}.dot{fill:#d1d9e0}.bold{font-weight:bold}.dim{fill:#656d76}
.c1{fill:#cf222e}.c2{fill:#1a7f37}.c3{fill:#9a6700}.c4{fill:#0969da}.c5{fill:#8250df}.c6{fill:#1b7c83}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#0d1117;stroke:#30363d}.dot{fill:#30363d}.dim{fill:#9198a1}
.c1{fill:#ff7b72}.c2{fill:#3fb950}.c3{fill:#d29922}.c4{fill:#58a6ff}.c5{fill:#bc8cff}.c6{fill:#39c5cf}}
`;

/** What a picture shows. */
type Words = Pick<Picture, "title" | "desc">;

/**
 * Shows all moments, again and again; of one, a picture without motion. Whoever wants no motion, or has
 * a viewer without any, sees the last.
 */
export function terminalPicture(words: Words, frames: readonly Frame[]): string {
  const end = frames.at(-1)!.at + LAST;
  const percent = (at: number): string => `${Number((at / end * 100).toFixed(2))}%`;
  const rules = new Map<string, string>();
  const lines = spansOf(frames).map(({ line, row, from, to }) => {
    const gone = to === undefined ? "" : `${percent(to)}{opacity:0}`;
    const shown = `${percent(from)}{opacity:1}${gone}`;
    if (!rules.has(shown)) rules.set(shown, `k${rules.size}`);
    return textOf(line, row, `${rules.get(shown)}${to === undefined ? " last" : ""}`);
  });
  const roll = ({ rolled }: Frame): string => `{transform:translateY(${-rolled * LINE}px)}`;
  const rolls = frames.filter(({ rolled }, i) => rolled !== frames[i - 1]?.rolled);
  const duration = `${(end / 1000).toFixed(1)}s step-end infinite`;
  const motion = `svg svg text{opacity:0}svg svg .last{opacity:1}.roll${roll(frames.at(-1)!)}
@media(prefers-reduced-motion:no-preference){.roll{animation:roll ${duration}}
${[...rules.values()].map((name) => `svg svg .${name}{animation:${name} ${duration}}`).join("\n")}}
@keyframes roll{${rolls.map((frame) => `${percent(frame.at)}${roll(frame)}`).join("")}}
${[...rules].map(([shown, name]) => `@keyframes ${name}{0%{opacity:0}${shown}}`).join("\n")}
`;
  const rows = Math.min(ROWS, Math.max(...frames.map(({ lines }) => lines.length)));
  return pictureOf(words, rows, frames.length > 1 ? motion : "", lines);
}

/** A line as it stands for some time. */
interface Span {
  readonly line: Line;
  readonly row: number;
  readonly from: number;
  /** `undefined` where it is there at the end. */
  readonly to: number | undefined;
}

function spansOf(frames: readonly Frame[]): readonly Span[] {
  const rows = Math.max(...frames.map(({ lines }) => lines.length));
  return Array.from({ length: rows }, (_, row) => row).flatMap((row) => {
    const changes = frames.filter(({ lines }, i) =>
      lines[row]?.svg !== frames[i - 1]?.lines[row]?.svg
    );
    return changes.flatMap(({ at, lines }, i) =>
      lines[row] ? [{ line: lines[row], row, from: at, to: changes[i + 1]?.at }] : []
    );
  }).filter(({ line }) => line.text.trim() !== "");
}

/** The length holds the letters in their columns, whatever the font. */
function textOf({ svg, text }: Line, row: number, names: string): string {
  const length = Number((text.length * LETTER).toFixed(1));
  return `<text y="${row * LINE + 14}" textLength="${length}" class="${names}">${svg}</text>`;
}

function pictureOf(words: Words, rows: number, style: string, texts: readonly string[]): string {
  const [width, height] = [Math.ceil(COLUMNS * LETTER), rows * LINE];
  const size = [width + 2 * EDGE, height + HEAD + EDGE] as const;
  const content = [
    `<rect class="paper" x="0.5" y="0.5" width="${size[0] - 1}" height="${size[1] - 1}" rx="8"/>`,
    ...[0, 1, 2].map((i) => `<circle class="dot" cx="${EDGE + 6 + i * 20}" cy="20" r="6"/>`),
    `<svg x="${EDGE}" y="${HEAD}" width="${width}" height="${height}">`,
    '<g class="roll">',
    ...texts,
    "</g>",
    "</svg>",
  ];
  return svgOf({ ...words, size, style: `${STYLE}${style}`, content });
}
