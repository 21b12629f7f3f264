/** Rows of text: a table on a terminal, plain lines for a program. */

import { fit, widthOf } from "../../runtime/cells.ts";
import type { Output } from "../../runtime/streams.ts";

/** Stands between two columns, as in the list of endpoints. */
export const GAP = "  ";

/**
 * On a terminal, there is a heading and the columns line up. Elsewhere they do not, so that a row does
 * not depend on the others. Fields are never cut.
 *
 * @param paint colours a field of a column, where colour is wanted.
 */
export function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  output: Pick<Output, "isTerminal" | "colour">,
  paint: (field: string, column: number) => string = (field) => field,
): string {
  if (!output.isTerminal) {
    const painted = output.colour ? paint : (field: string): string => field;
    return rows.map((row) => `${row.map(painted).join(GAP)}\n`).join("");
  }
  const columns = headings.map((heading, at): Column => ({
    heading,
    fields: rows.map((row) => row[at] ?? ""),
    paint: (field) => paint(field, at),
  }));
  return columnsText(columns, { ...output, columns: Infinity }).text;
}

/** A column of a table on a terminal. One without any text is not shown. */
export interface Column {
  readonly heading: string;
  readonly fields: readonly string[];
  /** Columns of a low rank get their room first. Default: 0. */
  readonly rank?: number;
  /** Its largest width, in cells, if the terminal has no room for more. */
  readonly most?: number;
  /** Texts that replace the field of a row and all fields on its right. */
  readonly tails?: readonly (string | undefined)[];
  readonly isRight?: boolean;
  readonly paint?: (field: string) => string;
}

/** Returns a table that is no wider than the terminal, and the headings of the columns without room. */
export function columnsText(
  columns: readonly Column[],
  output: Pick<Output, "colour" | "columns">,
): { readonly text: string; readonly left: readonly string[] } {
  let room = output.columns + GAP.length;
  const sized = columns.filter(({ fields }) => fields.some((field) => field !== "")).map(
    (column) => {
      // Cut to a line first, so that nothing longer is measured.
      const fields = column.fields.map((field) => fit(field, output.columns));
      const heading = fitEnd(column.heading, output.columns);
      const natural = Math.max(...[heading, ...fields].map(widthOf));
      return { ...column, heading, fields, natural, width: 0 };
    },
  );
  for (const column of sized.toSorted(({ rank: a = 0 }, { rank: b = 0 }) => a - b)) {
    const width = Math.min(column.natural, column.most ?? Infinity);
    if (width + GAP.length > room) continue;
    column.width = width;
    room -= width + GAP.length;
  }
  const shown = sized.filter(({ width }) => width > 0);
  // Columns that are cut share what is left, a cell at a time.
  for (let cut = shown; room > 0 && cut.length > 0; room -= cut.length) {
    cut = cut.filter(({ natural, width }) => width < natural).slice(0, room);
    for (const column of cut) column.width++;
  }
  const lines = [undefined, ...columns[0]?.fields.keys() ?? []].map((row) => {
    let [line, used] = ["", 0];
    for (const { heading, fields, width, tails, isRight, paint = String } of shown) {
      const tail = row === undefined ? undefined : tails?.[row];
      if (tail !== undefined) return line + fit(tail, output.columns - used);
      const text = row === undefined ? fitEnd(heading, width) : fit(fields[row]!, width);
      const painted = !output.colour ? text : row === undefined ? bold(text) : paint(text);
      const space = " ".repeat(width - widthOf(text));
      line += (isRight ? space + painted : painted + space) + GAP;
      used += width + GAP.length;
    }
    return line;
  });
  return {
    text: shown.length === 0 ? "" : lines.map((line) => `${line.trimEnd()}\n`).join(""),
    left: sized.filter(({ width }) => width === 0).map(({ heading }) => heading),
  };
}

function bold(text: string): string {
  return `\x1b[1m${text}\x1b[22m`;
}

/** Like `fit`, but cuts off the beginning: the end tells `model__max_depth` from `model__max_leaves`. */
function fitEnd(text: string, columns: number): string {
  const reversed = (line: string): string => [...line].reverse().join("");
  return reversed(fit(reversed(text), columns));
}
