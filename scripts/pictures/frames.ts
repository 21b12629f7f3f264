/** What a terminal shows after each piece of a session: a terminal emulator's states, as lines of SVG. */

import terminal, { type IBufferCell } from "@xterm/headless";
import { escaped } from "./svg.ts";
import { COLUMNS, type Piece, ROWS } from "./session.ts";

/** What the terminal shows from some time on. */
export interface Frame {
  /** In milliseconds since the session's start, as it is played. */
  readonly at: number;
  /** All since the start, as SVG without the element `text`; the last ones are on the screen. */
  readonly lines: readonly Line[];
  /** How many of them have left the screen above. */
  readonly rolled: number;
}

export interface Line {
  readonly svg: string;
  /** The same without colours. */
  readonly text: string;
}

/** How long things take as they are played, in ms: a letter, Enter, the time to read an answer. */
const LETTER = 50;
const ENTER = 350;
const READING = 1_400;
/** Longer waits are cut to this. */
const LONGEST_WAIT = 350;
/** What comes sooner after another piece is shown with it. */
const AT_ONCE = 40;

export async function framesOf(pieces: readonly Piece[]): Promise<readonly Frame[]> {
  const screen = new terminal.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const frames: Frame[] = [];
  let at = 0;
  for (const [i, piece] of pieces.entries()) {
    await new Promise<void>((resolve) => screen.write(piece.text, resolve));
    const next = pieces[i + 1];
    const wait = next === undefined ? READING : waitBefore(next, piece);
    if (wait >= AT_ONCE) {
      frames.push({ at, lines: linesOf(screen), rolled: screen.buffer.active.baseY });
    }
    at += wait;
  }
  screen.dispose();
  return frames;
}

function waitBefore({ isTyped, text, after }: Piece, before: Piece): number {
  if (!isTyped) return Math.min(after, LONGEST_WAIT);
  if (!before.isTyped) return READING;
  return text.startsWith("\r") ? ENTER : LETTER;
}

function linesOf({ buffer: { active } }: InstanceType<typeof terminal.Terminal>): readonly Line[] {
  const cursor = active.baseY + active.cursorY;
  const lines = Array.from({ length: active.length }, (_, row) => {
    const line = active.getLine(row)!;
    const cells = Array.from({ length: COLUMNS }, (_, column) => line.getCell(column)!);
    const runs: { look: string; text: string }[] = [];
    const width = line.translateToString(true).length;
    for (const cell of cells.slice(0, width)) {
      const look = lookOf(cell);
      if (runs.at(-1)?.look === look) runs.at(-1)!.text += cell.getChars() || " ";
      else runs.push({ look, text: cell.getChars() || " " });
    }
    if (row === cursor) {
      runs.push({ look: "", text: " ".repeat(Math.max(active.cursorX - width, 0)) });
      if (active.cursorX >= width) runs.push({ look: "dim", text: "▋" });
    }
    const svg = runs.map(({ look, text }) => {
      // SVG makes one of several spaces, unless they are no-break spaces.
      const words = escaped(text.replaceAll(" ", "\u00a0"));
      return look === "" ? words : `<tspan class="${look}">${words}</tspan>`;
    }).join("");
    return { svg, text: runs.map(({ text }) => text).join("") };
  });
  return lines.slice(0, cursor + 1);
}

function lookOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? [`c${cell.getFgColor() % 8}`] : [];
  return [...colour, ...cell.isBold() ? ["bold"] : [], ...cell.isDim() ? ["dim"] : []].join(" ");
}
