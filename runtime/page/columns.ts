/** Columns of the table of runs: their values, the filter, the order. */

import type { Run } from "./api.ts";
import { own } from "./text.ts";

type Value = string | number | null;

export interface Column {
  readonly key: string;
  readonly heading: string;
  /** Whether it is shown where the reader has not chosen. */
  readonly isDefault: boolean;
  readonly valueOf: (run: Run) => Value;
}

const FACTS = [
  ["name", "Run", true],
  ["kind", "Kind", true],
  ["status", "Status", true],
  ["created", "Created", true],
  ["seconds", "Duration", true],
  ["ended", "Ended", false],
  ["reason", "Reason", false],
  ["exit_status", "Exit status", false],
  ["commit", "Commit", false],
  ["image", "Image", false],
] as const;

/** All columns of these runs. */
export function columnsOf(runs: readonly Run[]): readonly Column[] {
  const namesOf = (key: "hyperparameters" | "metrics"): readonly string[] =>
    [...new Set(runs.flatMap((run) => Object.keys(run[key])))].sort();
  const facts = FACTS.map(([key, heading, isDefault]): Column => {
    return { key, heading, isDefault, valueOf: (run) => run[key] };
  });
  const trained = runs.filter(({ hyperparameters }) => Object.keys(hyperparameters).length > 0);
  const hyperparameters = namesOf("hyperparameters").map((name): Column => {
    const valueOf = ({ hyperparameters }: Run): Value => own(hyperparameters, name) ?? null;
    const isDefault = new Set(trained.map(valueOf)).size > 1;
    return { key: `hyperparameter ${name}`, heading: name, isDefault, valueOf };
  });
  const metrics = namesOf("metrics").flatMap((name) =>
    (["last", "min", "max"] as const).map((part): Column => ({
      key: `metric ${name} ${part}`,
      heading: part === "last" ? name : `${name} ${part}`,
      isDefault: part === "last",
      valueOf: ({ metrics }) => own(metrics, name)?.[part] ?? null,
    }))
  );
  return [...facts.slice(0, 5), ...hyperparameters, ...metrics, ...facts.slice(5)];
}

const CONDITION = /^(.+?)(<=|>=|!=|=|<|>)(.+)$/;

/** Whether a run has each word of the filter in it, and meets each condition such as `loss<0.3`. */
export function matches(run: Run, filter: string, columns: readonly Column[]): boolean {
  const { name, kind, status, commit, hyperparameters } = run;
  const pairs = Object.entries(hyperparameters).map((pair) => pair.join("="));
  const text = [name, kind, status, commit, ...pairs].join("\n").toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => {
    const [, asked, sign, wanted] = CONDITION.exec(word) ?? [];
    const column = columns.find(({ heading }) => heading.toLowerCase() === asked);
    if (!column) return text.includes(word);
    const value = column.valueOf(run);
    if (value === null) return sign === "!=";
    const order = compared(value, wanted!);
    return sign === "!=" ? order !== 0 : sign!.includes(order < 0 ? "<" : order > 0 ? ">" : "=");
  });
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

/** As numbers where both are. */
function compared(one: string | number, other: string | number): number {
  const difference = one === "" || other === "" ? NaN : Number(one) - Number(other);
  return Number.isNaN(difference)
    ? String(one).localeCompare(String(other), undefined, { sensitivity: "base" })
    : difference;
}
