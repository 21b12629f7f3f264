/** All runs: their curves, and the table of them, which sorts, filters and chooses columns. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ListedRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { type Column, columnsOf, matches, type Order, sorted } from "./columns.ts";
import { lookOf } from "./looks.ts";
import { Duration, Link, RunLink, Status, Table, Time } from "./parts.tsx";

/** So many of the newest are checked where the reader has not chosen. */
const CHECKED = 10;

/** What the reader has chosen. */
interface Choice {
  readonly filter: string;
  readonly order?: Order;
  /** Names of the runs whose curves are shown. */
  readonly checked?: readonly string[];
  /** Keys of the columns that are shown. */
  readonly columns?: readonly string[];
}

/** Stays while other views are shown. */
let kept: Choice = { filter: "" };

export function RunsView({ runs }: Readonly<{ runs: readonly ListedRun[] }>): JSX.Element {
  const [choice, setChoice] = useState(kept);
  const choose = (part: Partial<Choice>): void => setChoice(kept = { ...kept, ...part });
  const { filter, order } = choice;
  const columns = useMemo(() => columnsOf(runs), [runs]);
  const shown = columns.filter(({ key, isDefault }) => choice.columns?.includes(key) ?? isDefault);
  const found = runs.filter((run) => matches(run, filter, columns));
  const rows = order ? sorted(found, order, columns) : found;
  const checked = choice.checked ?? newestWithMetrics(runs);
  const drawn = runs.filter(({ name }) => checked.includes(name));
  const check = (name: string, isChecked: boolean): void =>
    choose({ checked: isChecked ? [...checked, name] : checked.filter((one) => one !== name) });
  const cellOf = (run: ListedRun, column: Column) =>
    column.key === "name"
      ? <Name run={run} isChecked={checked.includes(run.name)} onCheck={check} />
      : valueOf(run, column);
  if (runs.length === 0) {
    return (
      <p>
        No run yet: <code>mlcli local train</code> makes one.
      </p>
    );
  }
  return (
    <>
      <Charts runs={drawn} />
      <div class="tools">
        <Filter value={filter} onChange={(filter) => choose({ filter })} />
        <ColumnChooser
          columns={columns}
          shown={shown}
          onChange={(columns) => choose({ columns })}
        />
        {drawn.length === 2
          ? (
            <Link to={["comparison", drawn[1]!.name, drawn[0]!.name]}>
              Compare the two checked runs
            </Link>
          )
          : <small>Check two runs to compare them</small>}
        <small role="status">{found.length} of {runs.length} runs</small>
      </div>
      <Table
        label="Table of runs"
        headings={shown.map(({ heading }) => heading)}
        rows={rows.map((run) => shown.map((column) => cellOf(run, column)))}
        keys={rows.map(({ name }) => name)}
        sort={{
          by: shown.findIndex(({ key }) => key === order?.key),
          isDescending: order?.isDescending ?? false,
          onSort: (at) => {
            const { key } = shown[at]!;
            choose({ order: { key, isDescending: order?.key === key && !order.isDescending } });
          },
        }}
      />
    </>
  );
}

function newestWithMetrics(runs: readonly ListedRun[]): readonly string[] {
  const those = runs.filter(({ curve_bytes }) => curve_bytes > 0).slice(0, CHECKED);
  return those.map(({ name }) => name);
}

interface NameProps {
  readonly run: ListedRun;
  readonly isChecked: boolean;
  readonly onCheck: (name: string, isChecked: boolean) => void;
}

function Name({ run: { name }, isChecked, onCheck }: NameProps): JSX.Element {
  return (
    <>
      <input
        type="checkbox"
        aria-label={`Curves of ${name}`}
        checked={isChecked}
        onChange={(event) => onCheck(name, event.currentTarget.checked)}
      />
      <span class="swatch" style={{ background: isChecked ? lookOf(name).colour : "none" }} />
      <RunLink name={name} />
    </>
  );
}

function valueOf(run: ListedRun, { key, valueOf }: Column): string | number | null | JSX.Element {
  const value = valueOf(run);
  if (key === "status") return <Status of={run.status} />;
  if (key === "seconds") return <Duration of={run} />;
  const isTime = (key === "created" || key === "ended") && value !== null;
  return isTime ? <Time of={String(value)} /> : value;
}

type FilterProps = Readonly<{ value: string; onChange: (value: string) => void }>;

function Filter({ value, onChange }: FilterProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      const isTyped = event.target instanceof Element && event.target.matches("input, textarea");
      if (event.key !== "/" || isTyped || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
  return (
    <label>
      Filter{" "}
      <input
        ref={input}
        type="search"
        value={value}
        placeholder="status=Failed loss<0.3 name"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

interface ChooserProps {
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  readonly onChange: (keys: readonly string[]) => void;
}

function ColumnChooser({ columns, shown, onChange }: ChooserProps): JSX.Element {
  const keys = shown.map(({ key }) => key);
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <fieldset>
        <legend>Columns that are shown</legend>
        {/* The first is the name, by which a run is checked and opened. */}
        {columns.slice(1).map(({ key, heading }) => (
          <label key={key}>
            <input
              type="checkbox"
              checked={keys.includes(key)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...keys, key] : keys.filter((one) => one !== key))}
            />{" "}
            {heading}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
