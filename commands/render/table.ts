/** Rows of text: a table on a terminal, plain lines for a program. */

import { fit, widthOf } from "../../runtime/cells.ts";
import type { Output } from "../../runtime/streams.ts";

/** Stands between two columns, as in the list of endpoints. */
const GAP = "  ";

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
  if (rows.length === 0) return "";
  const paintIfWanted = output.colour ? paint : (field: string): string => field;
  if (!output.isTerminal) {
    return rows.map((row) => `${row.map(paintIfWanted).join(GAP)}\n`).join("");
  }
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (row: readonly string[], painted: (field: string, column: number) => string) =>
    row.map((field, column) => {
      const space = " ".repeat((widths[column] ?? field.length) - field.length);
      return painted(field, column) + (column === row.length - 1 ? "" : space);
    }).join(GAP) + "\n";
  const bold = (text: string): string => output.colour ? `\x1b[1m${text}\x1b[22m` : text;
  return [
    line(headings, bold),
    ...rows.map((row) => line(row, paintIfWanted)),
  ].join("");
}

/** The narrowest that a column is made, in cells. */
const LEAST = 8;

/**
 * The same. On a terminal that is too narrow, fields are cut: those of the last column as far as can be,
 * then those of another.
 *
 * @param other its index.
 */
export function fittingTableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  output: Pick<Output, "isTerminal" | "colour" | "columns">,
  other: number,
  paint?: (field: string, column: number) => string,
): string {
  if (!output.isTerminal) return tableText(headings, rows, output, paint);
  const last = headings.length - 1;
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => widthOf(row[column] ?? "")))
  );
  const all = widths.reduce((sum, width) => sum + GAP.length + width, -GAP.length);
  const room = (column: number, excess: number): number =>
    Math.min(widths[column]!, Math.max(LEAST, widths[column]! - excess));
  const ofLast = room(last, all - output.columns);
  const ofOther = room(other, all - output.columns - (widths[last]! - ofLast));
  const cut = (field: string, column: number): string =>
    column === last ? fit(field, ofLast) : column === other ? fit(field, ofOther) : field;
  return tableText(headings, rows.map((row) => row.map(cut)), output, paint);
}
