/** How wide text is on a terminal, in cells: a letter of Chinese takes two, an accent none. */

import { eastAsianWidth } from "get-east-asian-width";
import { inOneLine } from "./text.ts";

/** Stands for what is cut off. */
const ELLIPSIS = "…";

/** The width of text without escape sequences. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += widthOfLetter(letter);
  return width;
}

function widthOfLetter(letter: string): number {
  if (letter >= " " && letter <= "~") return 1;
  return /\p{M}/u.test(letter) ? 0 : eastAsianWidth(letter.codePointAt(0)!);
}

/** Text as one line that is no wider than this, its end cut off where it would be. */
export function fit(text: string, columns: number): string {
  const line = inOneLine(text);
  // A letter of JavaScript's string takes two cells at most, and a long one need not be counted.
  const start = line.slice(0, columns * 4);
  if (start.length === line.length && widthOf(line) <= columns) return line;
  let [cut, width] = ["", 0];
  for (const letter of start) {
    width += widthOfLetter(letter);
    if (width > columns - 1) break;
    cut += letter;
  }
  return columns < 1 ? "" : `${cut.trimEnd()}${ELLIPSIS}`;
}

/** As many of the parts as fit in a line, the first ones first, with commas between them. */
export function fitParts(parts: readonly string[], columns: number): string {
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}, ${part}`;
    if (line !== "" && widthOf(longer) > columns) break;
    line = longer;
  }
  return fit(line, columns);
}
