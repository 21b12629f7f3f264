/** Lists: a table on a terminal, plain lines in a pipe, or a JSON array. */

import type { Context } from "../../runtime/context.ts";
import type { Output } from "../../runtime/streams.ts";
import { inOneLine, listed, printableJson } from "../../runtime/text.ts";
import { type Column as TableColumn, columnsText, GAP } from "./table.ts";

/** A column of a list. */
export interface Column<Row> extends Omit<TableColumn, "fields"> {
  readonly field: (row: Row) => string;
  /** Returns the field in a pipe, which does not depend on other rows or on the time (default: `field`). */
  readonly plain?: (row: Row) => string;
}

/** A list, which is printed page by page. */
export interface List<Row> {
  /** Each page is printed before the next one is requested. */
  readonly pages: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;
  /** Columns of the table and of the lines in a pipe. Empty columns and empty fields of lines are left out. */
  readonly columns: readonly Column<Row>[];
  /** Returns the value in the JSON array. */
  readonly json: (row: Row) => unknown;
  /** Message on a terminal if there are no rows. */
  readonly empty: string;
}

/**
 * Prints a list, and a note on columns for which the terminal has no room.
 *
 * @param output value of `--output`.
 * @throws the error of `pages`. The JSON array then has no closing bracket, so that no program takes
 * it for the whole list.
 */
export async function printList<Row>(
  { pages, columns, json, empty }: List<Row>,
  output: "text" | "json",
  { out, err, messages }: Context,
): Promise<void> {
  const write = (text: string) => out.write(new TextEncoder().encode(text));
  let count = 0;
  const widths = new Map<string, number>();
  const left = new Set<string>();
  const pageText = (rows: readonly Row[]): string => {
    if (output === "json") return rows.map((row, at) => item(json(row), count + at === 0)).join("");
    const page = rowsText(rows, columns, out, widths);
    for (const heading of page.left) left.add(heading);
    return count === 0 || !out.isTerminal
      ? page.text
      : page.text.slice(page.text.indexOf("\n") + 1);
  };
  let page: Row[] = [];
  const printPage = async (): Promise<void> => {
    const rows = page;
    page = [];
    if (rows.length > 0) await write(pageText(rows));
    count += rows.length;
  };
  // A page of a table is at least a screenful, so that the columns of a short list line up.
  const least = output === "json" ? 0 : out.rows;
  try {
    for await (const rows of pages) {
      page.push(...rows);
      if (page.length >= least) await printPage();
    }
    await printPage();
  } catch (error) {
    await printPage();
    if (output === "json" && count > 0) await write("\n");
    throw error;
  }
  if (output === "json") await write(count === 0 ? "[]\n" : "\n]\n");
  if (count === 0 && err.isTerminal) messages.state(empty);
  if (left.size > 0 && err.isTerminal) {
    messages.note(`Columns not shown: ${listed([...left], 10)} (use --output json)`);
  }
}

/**
 * Returns a table with headings for a terminal, or lines for a pipe, and the headings of the columns for
 * which the terminal has no room.
 *
 * @param widths see `columnsText`.
 */
export function rowsText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  out: Pick<Output, "isTerminal" | "colour" | "columns">,
  widths?: Map<string, number>,
): ReturnType<typeof columnsText> {
  if (out.isTerminal) {
    const filled = columns.map((column) => ({ ...column, fields: rows.map(column.field) }));
    return columnsText(filled, out, widths);
  }
  const lines = rows.map((row) => {
    const fields = columns.map(({ field, plain = field, paint = String }) => {
      const text = inOneLine(plain(row));
      return out.colour ? paint(text) : text;
    });
    return `${fields.filter((field) => field !== "").join(GAP)}\n`;
  });
  return { text: lines.join(""), left: [] };
}

/** Returns the text of an item of a JSON array, with the separator before it. */
function item(value: unknown, isFirst: boolean): string {
  const text = printableJson(value, 2).replaceAll("\n", "\n  ");
  return `${isFirst ? "[" : ","}\n  ${text}`;
}
