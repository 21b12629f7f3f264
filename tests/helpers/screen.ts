/**
 * What a terminal shows after what was written to it: as much of one as mlcli uses. Anything else fails
 * the test.
 */

// deno-lint-ignore no-control-regex
const PIECE = /\r|\n|\x1b\[(\d*)([AJKm])|[^\r\n\x1b]/gu;

/** The lines of a terminal of this width, without empty ones at the end. */
export function screenOf(written: string, columns: number): readonly string[] {
  const lines: string[][] = [[]];
  let [row, column] = [0, 0];
  let taken = 0;
  for (const [piece, count, action] of written.matchAll(PIECE)) {
    taken += piece.length;
    if (piece === "\r") column = 0;
    else if (piece === "\n") lines[++row] ??= [];
    else if (action === "A") row = Math.max(0, row - Number(count));
    else if (action === "K") lines[row]!.length = Math.min(lines[row]!.length, column);
    else if (action === "J") {
      lines.length = row + 1;
      lines[row]!.length = Math.min(lines[row]!.length, column);
    } else if (action === undefined) {
      if (column === columns) [column, row] = [0, row + 1];
      const line = lines[row] ??= [];
      while (line.length < column) line.push(" ");
      line[column++] = piece;
    }
  }
  if (taken !== written.length) {
    throw new Error(`No terminal knows this: ${JSON.stringify(written)}`);
  }
  const texts = lines.map((line) => line.join(""));
  return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1);
}
