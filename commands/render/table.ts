/** A table on a terminal. */

import { fit, widthOf } from "../../runtime/cells.ts";
import type { Output } from "../../runtime/streams.ts";
import { bold } from "./format.ts";

/** Separates two columns, also in a pipe. */
export const GAP = "  ";

/** A column of a table on a terminal. One without any text is not shown. */
export interface Column {
  readonly heading: string;
  readonly fields: readonly string[];
  /** Columns of a low rank get their room first. Default: 0. */
  readonly rank?: number;
  /** Largest width, in cells, if the terminal is too narrow. */
  readonly most?: number;
  readonly paint?: (field: string) => string;
}

/**
 * Returns a table that is no wider than the terminal, and the headings of the columns without room.
 *
 * @param widths smallest widths of columns, by heading. Becomes the widths of this table, for the next page.
 */
export function columnsText(
  columns: readonly Column[],
  output: Pick<Output, "colour" | "columns">,
  widths = new Map<string, number>(),
): { readonly text: string; readonly left: readonly string[] } {
  const filled = columns.filter(({ fields }) => fields.some((field) => field !== ""));
  const sized = withWidths(filled, output.columns, widths);
  for (const { heading, width } of sized) widths.set(heading, width);
  const shown = sized.filter(({ width }) => width > 0);
  const cell = (text: string, width: number, paint: (text: string) => string): string =>
    (output.colour ? paint(text) : text) + " ".repeat(width - widthOf(text));
  const headings = shown.map(({ heading, width }) => cell(fitEnd(heading, width), width, bold));
  const rows =
    shown[0]?.fields.map((_, row) =>
      shown.map(({ fields, width, paint = String }) => cell(fit(fields[row]!, width), width, paint))
    ) ?? [];
  const lines = rows.length === 0 ? [] : [headings, ...rows];
  return {
    text: lines.map((cells) => `${cells.join(GAP).trimEnd()}\n`).join(""),
    left: sized.filter(({ width }) => width === 0).map(({ heading }) => heading),
  };
}

/** Adds a width to each column, in cells: 0 if the column does not fit. */
function withWidths(
  columns: readonly Column[],
  most: number,
  widths: ReadonlyMap<string, number>,
): readonly (Column & { width: number })[] {
  let room = most + GAP.length;
  const sized = columns.map((column) => {
    // Cut first, so that nothing longer is measured.
    const heading = fitEnd(column.heading, most);
    const texts = [heading, ...column.fields.map((field) => fit(field, most))];
    return {
      ...column,
      heading,
      natural: Math.max(widths.get(heading) ?? 0, ...texts.map(widthOf)),
      width: 0,
    };
  });
  for (const column of sized.toSorted(({ rank: a = 0 }, { rank: b = 0 }) => a - b)) {
    const width = Math.min(column.natural, column.most ?? Infinity);
    if (width + GAP.length > room) continue;
    column.width = width;
    room -= width + GAP.length;
  }
  // Columns that are cut share the rest, a cell at a time.
  let cut = sized.filter(({ width }) => width > 0);
  while (room > 0 && cut.length > 0) {
    cut = cut.filter(({ natural, width }) => width < natural).slice(0, room);
    for (const column of cut) column.width++;
    room -= cut.length;
  }
  return sized;
}

/** Like `fit`, but cuts off the beginning: the end tells `model__max_depth` from `model__max_leaves`. */
function fitEnd(text: string, columns: number): string {
  const reversed = (line: string): string => [...line].reverse().join("");
  return reversed(fit(reversed(text), columns));
}
