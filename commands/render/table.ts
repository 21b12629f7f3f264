/** Rows of text: a table on a terminal, plain lines for a program. */

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
  if (!output.isTerminal) return rows.map((row) => `${row.join(GAP)}\n`).join("");
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
    ...rows.map((row) => line(row, output.colour ? paint : (field) => field)),
  ].join("");
}

/**
 * The same. On a terminal that is too narrow for the widest row, each row becomes a block: its first
 * field, and below it the others with their headings.
 */
export function fittingTableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  output: Pick<Output, "isTerminal" | "colour" | "columns">,
  paint: (field: string, column: number) => string = (field) => field,
): string {
  const table = tableText(headings, rows, { ...output, colour: false });
  const widest = Math.max(...table.split("\n").map((line) => line.length));
  if (!output.isTerminal || widest <= output.columns) {
    return tableText(headings, rows, output, paint);
  }
  const width = Math.max(...headings.slice(1).map(({ length }) => length));
  const shown = (field: string, column: number): string =>
    output.colour ? paint(field, column) : field;
  return rows.map(([first = "", ...others]) =>
    [
      `${shown(first, 0)}\n`,
      ...others.map((field, index) =>
        field === ""
          ? ""
          : `${GAP}${headings[index + 1]!.padEnd(width)}${GAP}${shown(field, index + 1)}\n`
      ),
    ].join("")
  ).join("");
}
