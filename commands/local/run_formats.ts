/** One run, and several compared, as `mlcli local list-jobs` shows them as text. */

import { jsonWholeRun } from "../../runtime/local/runs/json.ts";
import type { Comparison, WholeRun } from "../../runtime/local/runs/list.ts";
import { widthOf } from "../../runtime/cells.ts";
import { byteCount, shortNumber } from "../../runtime/quantities.ts";
import type { Output } from "../../runtime/streams.ts";
import { inOneLine, isObject, printable } from "../../runtime/text.ts";
import { type Field, fieldsText } from "../render/fields.ts";
import { GAP, tableText } from "../render/table.ts";

/** A field a line: `Exit status: 1`, `Hyperparameter: epochs=5`. */
export function wholeRunText(run: WholeRun): string {
  const whole = jsonWholeRun(run);
  const hosts = whole.hosts.map(({ name, peak_memory, ...facts }) => [
    name,
    { ...facts, peak_memory: peak_memory && byteCount(peak_memory) },
  ]);
  const shown = {
    ...whole,
    hosts: Object.fromEntries(hosts),
    pinned: whole.pinned ? "yes" : null,
    model_bytes: whole.model_bytes && byteCount(whole.model_bytes),
  };
  return fieldsText(
    Object.entries(shown).flatMap(([key, value]): readonly Field[] => {
      const name = `${key[0]!.toUpperCase()}${key.slice(1).replaceAll("_", " ")}`;
      if (isObject(value)) {
        const each = Object.entries(value).map(([part, of]) => `${part}=${textOf(of)}`);
        return each.map((text) => [name.replace(/s$/, ""), inOneLine(text)]);
      }
      return [[name, value === null || textOf(value) === "" ? undefined : textOf(value)]];
    }),
  );
}

function textOf(value: unknown): string {
  if (isObject(value)) {
    const known = Object.entries(value).filter(([, part]) => part !== null);
    return known.map(([name, part]) => `${name} ${textOf(part)}`).join(", ");
  }
  return Array.isArray(value) ? value.map(textOf).join("; ") : String(value);
}

/**
 * Returns what differs between runs: a table with a column for each run, then the rows that the
 * terminal has no room for, with a line for each value.
 */
export function comparisonText({ runs, differences, code }: Comparison, out: Output): string {
  const letters = runs.map((_, index) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index] ?? String(index + 1));
  const names = runs.map(({ name }, index) => `${letters[index]}: ${inOneLine(name)}\n`).join("");
  if (differences.length === 0) return `${names}Nothing differs.\n`;
  const rows = differences.map(({ what, name, values }): readonly string[] => [
    inOneLine(name === "" ? what : `${what} ${name}`),
    ...values.map((value) => valueText(what, value)),
  ]);
  const beside = out.columns - Math.max(...rows.map(([title]) => widthOf(title!)));
  const room = out.isTerminal ? Math.floor(beside / runs.length) - GAP.length : Infinity;
  const fits = ([, ...values]: readonly string[]): boolean =>
    values.every((value) => widthOf(value) <= room);
  const below = rows.filter((row) => !fits(row)).map(([title, ...values]) => {
    const byValue = Map.groupBy(letters, (_, index) => values[index]!);
    const lines = [...byValue].map(([value, sharing]) => `${GAP}${sharing.join(", ")}: ${value}\n`);
    return `${title}\n${lines.join("")}`;
  });
  const changes = code?.map(({ path, change, patch }) =>
    `${change} ${inOneLine(path)}\n${printable(patch ?? "")}`
  );
  const table = tableText(["", ...letters], rows.filter(fits), out);
  return [names, table, ...below, ...changes ?? (runs.length > 2 ? [] : [WITHOUT_CODE])].join("");
}

const WITHOUT_CODE =
  "Their code cannot be compared: that of one run is not kept, or is too large.\n";

function valueText(what: string, value: string | undefined): string {
  if (value === undefined) return "-";
  return inOneLine(what === "metric" ? shortNumber(Number(value)) : value);
}
