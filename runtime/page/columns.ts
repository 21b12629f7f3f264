/** Columns of the table of runs: their values, the filter, the order. */

import type { Run } from "./api.ts";
import { own } from "../text.ts";

type Value = string | number | null;

export interface Column {
  readonly key: string;
  readonly heading: string;
  /** Whether it is shown where the reader has not chosen. */
  readonly isDefault: boolean;
  readonly valueOf: (run: Run) => Value;
}

/** Facts that are shown where the reader has not chosen, before what runs differ in; the others. */
const FIRST = [
  ["name", "Run"],
  ["kind", "Kind"],
  ["status", "Status"],
  ["created", "Created"],
  ["seconds", "Duration"],
] as const;
const LAST = [
  ["ended", "Ended"],
  ["reason", "Reason"],
  ["exit_status", "Exit code"],
  ["commit", "Commit"],
  ["image", "Image"],
] as const;

/** So many hyperparameters, and values of metrics, are shown where the reader has not chosen. */
const MOST = 20;

/** All columns of these runs. */
export function columnsOf(runs: readonly Run[]): readonly Column[] {
  const namesOf = (key: "hyperparameters" | "metrics"): readonly string[] =>
    [...new Set(runs.flatMap((run) => Object.keys(run[key])))].sort();
  const factsOf = (facts: typeof FIRST | typeof LAST, isDefault: boolean): readonly Column[] =>
    facts.map(([key, heading]) => ({ key, heading, isDefault, valueOf: (run) => run[key] }));
  const trained = runs.filter(({ hyperparameters }) => Object.keys(hyperparameters).length > 0);
  const hyperparameters = namesOf("hyperparameters").map((name, at): Column => {
    const valueOf = ({ hyperparameters }: Run): Value => own(hyperparameters, name) ?? null;
    const isDefault = at < MOST && new Set(trained.map(valueOf)).size > 1;
    return { key: `hyperparameter ${name}`, heading: name, isDefault, valueOf };
  });
  const metrics = namesOf("metrics").flatMap((name, at) =>
    (["last", "min", "max"] as const).map((part): Column => ({
      key: `metric ${name} ${part}`,
      heading: part === "last" ? name : `${name} ${part}`,
      isDefault: at < MOST && part === "last",
      valueOf: ({ metrics }) => own(metrics, name)?.[part] ?? null,
    }))
  );
  return [...factsOf(FIRST, true), ...hyperparameters, ...metrics, ...factsOf(LAST, false)];
}

const CONDITION = /^(.+?)(<=|>=|!=|=|<|>)(.+)$/;

export interface Filter {
  /** Whether a run has each word of the filter in it, and meets each of its conditions. */
  readonly isMet: (run: Run) => boolean;
  /** Conditions that are about no column. */
  readonly unknown: readonly string[];
}

/** A filter of words, and of conditions such as `loss<0.3`; a name has `_` for a space. */
export function filterOf(typed: string, columns: readonly Column[]): Filter {
  const words = typed.toLowerCase().replace(/\s*(<=|>=|!=|=|<|>)\s*/g, "$1").split(/\s+/);
  const conditions = words.map((word) => {
    const [, asked, sign = "", wanted = ""] = CONDITION.exec(word) ?? [];
    // A metric may be called as a hyperparameter is.
    const of = columns.filter(({ heading }) =>
      heading.toLowerCase().replaceAll(" ", "_") === asked
    );
    return { word, sign, wanted, of };
  });
  return {
    isMet: (run) => {
      const text = textIn(run);
      return conditions.every(({ word, sign, wanted, of }) =>
        of.length === 0
          ? text.includes(word)
          : of.some(({ valueOf }) => holds(valueOf(run), sign, wanted))
      );
    },
    unknown: conditions.filter(({ sign, of }) => sign && of.length === 0).map(({ word }) => word),
  };
}

function textIn({ name, kind, status, commit, reason, hyperparameters }: Run): string {
  const pairs = Object.entries(hyperparameters).map((pair) => pair.join("="));
  return [name, kind, status, commit, reason, ...pairs].join("\n").toLowerCase();
}

function holds(value: Value, sign: string, wanted: string): boolean {
  if (value === null) return sign === "!=";
  const order = compared(value, wanted);
  return sign === "!=" ? order !== 0 : sign.includes(order < 0 ? "<" : order > 0 ? ">" : "=");
}

export interface Order {
  readonly key: string;
  readonly isDescending: boolean;
}

/** What a run has no value for comes last, whatever the direction. */
export function sorted<R extends Run>(
  runs: readonly R[],
  { key, isDescending }: Order,
  columns: readonly Column[],
): readonly R[] {
  const column = columns.find((column) => column.key === key);
  return column
    ? runs.toSorted((one, other) => {
      const [first, second] = [column.valueOf(one), column.valueOf(other)];
      if (first === null || second === null) {
        return Number(first === null) - Number(second === null);
      }
      return isDescending ? compared(second, first) : compared(first, second);
    })
    : runs;
}

/** As numbers where both are, or as times. */
function compared(one: string | number, other: string | number): number {
  const difference = one === "" || other === "" ? NaN : numberIn(one) - numberIn(other);
  return Number.isNaN(difference)
    ? String(one).localeCompare(String(other), undefined, { sensitivity: "base" })
    : difference;
}

function numberIn(value: string | number): number {
  return /^\d{4}-\d\d-\d\dT/.test(String(value)) ? Date.parse(String(value)) : Number(value);
}
