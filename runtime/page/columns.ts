/** Columns of the table of runs: their values, which of them are shown, the filter, the order. */

import type { Run } from "./api.ts";

type Value = string | number | null;

export interface Column {
  readonly key: string;
  readonly heading: string;
  value(run: Run): Value;
  /** Whether it is shown where the reader has not chosen. */
  readonly isDefault: boolean;
}

/** All columns of these runs. */
export function columnsOf(runs: readonly Run[]): readonly Column[] {
  const facts = (["name", "kind", "status", "created", "seconds"] as const).map((key) =>
    column(key, HEADINGS[key], (run) => run[key], true)
  );
  const others = (["ended", "reason", "exit_status", "commit", "code", "image"] as const).map((
    key,
  ) => column(key, HEADINGS[key], (run) => run[key], false));
  const parameters = namesIn(runs, "hyperparameters").map((name) => {
    const value = (run: Run): Value => own(run.hyperparameters, name) ?? null;
    const differs = new Set(runs.map(value)).size > 1;
    return column(`hyperparameter:${name}`, name, value, differs);
  });
  const metrics = namesIn(runs, "metrics").flatMap((name) =>
    (["last", "min", "max"] as const).map((part) =>
      column(
        `metric:${name}:${part}`,
        part === "last" ? name : `${name} ${part}`,
        (run) => own(run.metrics, name)?.[part] ?? null,
        part === "last",
      )
    )
  );
  return [...facts, ...parameters, ...metrics, ...others];
}

const HEADINGS = {
  name: "Run",
  kind: "Kind",
  status: "Status",
  created: "Created",
  seconds: "Duration",
  ended: "Ended",
  reason: "Reason",
  exit_status: "Exit status",
  commit: "Commit",
  code: "Code",
  image: "Image",
} as const;

function column(
  key: string,
  heading: string,
  value: Column["value"],
  isDefault: boolean,
): Column {
  return { key, heading, value, isDefault };
}

function namesIn(runs: readonly Run[], of: "hyperparameters" | "metrics"): readonly string[] {
  return [...new Set(runs.flatMap((run) => Object.keys(run[of])))].sort();
}

/** Not what every object inherits: a metric may be called `constructor`. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

const CONDITION = /^(.+?)(<=|>=|!=|=|<|>)(.+)$/;

/** Whether a run has each word of the filter in it, and meets each condition such as `loss<0.3`. */
export function matches(run: Run, filter: string, columns: readonly Column[]): boolean {
  return filter.split(/\s+/).filter(Boolean).every((word) => {
    const [, name, sign, wanted] = CONDITION.exec(word) ?? [];
    const tested = columns.find(({ heading }) => heading.toLowerCase() === name?.toLowerCase());
    return tested ? meets(tested.value(run), sign!, wanted!) : hasWord(run, word.toLowerCase());
  });
}

function meets(value: Value, sign: string, wanted: string): boolean {
  if (sign === "=") return value !== null && compared(value, wanted) === 0;
  if (sign === "!=") return value === null || compared(value, wanted) !== 0;
  if (value === null) return false;
  const order = compared(value, wanted);
  return sign.startsWith("<")
    ? order < 0 || sign === "<=" && order === 0
    : order > 0 || sign === ">=" && order === 0;
}

function hasWord({ name, kind, status, commit, hyperparameters }: Run, word: string): boolean {
  const parameters = Object.entries(hyperparameters).map((pair) => pair.join("="));
  return [name, kind, status, commit ?? "", ...parameters].some((text) =>
    text.toLowerCase().includes(word)
  );
}

export interface Order {
  readonly key: string;
  readonly isDescending: boolean;
}

/** What a run has no value for comes last, whatever the direction. */
export function sorted<R extends Run>(
  runs: readonly R[],
  { value }: Column,
  isDescending: boolean,
): readonly R[] {
  return runs.toSorted((one, other) => {
    const [first, second] = [value(one), value(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return isDescending ? compared(second, first) : compared(first, second);
  });
}

/** As numbers where both are. */
function compared(one: string | number, other: string | number): number {
  const isNumber = (value: string | number): boolean =>
    value !== "" && !Number.isNaN(Number(value));
  if (isNumber(one) && isNumber(other)) return Number(one) - Number(other);
  return String(one).localeCompare(String(other), undefined, { sensitivity: "base" });
}

/** A number for each name, for its colour: it stays while the name does; new names take free ones. */
export function numbered(
  names: readonly string[],
  before: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const kept = new Map(names.flatMap((name) => {
    const number = before.get(name);
    return number === undefined ? [] : [[name, number] as const];
  }));
  const taken = new Set(kept.values());
  let next = 0;
  return new Map(names.map((name) => {
    if (kept.has(name)) return [name, kept.get(name)!];
    while (taken.has(next)) next++;
    return [name, next++];
  }));
}
