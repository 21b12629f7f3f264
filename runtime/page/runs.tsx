/** All runs: their curves, and the table that sorts, filters and chooses columns. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ListedRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { colourOf } from "./colours.ts";
import { type Column, columnsOf, matches, type Order, sorted } from "./columns.ts";
import { textOf } from "./text.ts";
import { Duration, Link, RunLink, Scrolled, Status, Time, usePage } from "./parts.tsx";
import { useCurves } from "./use_curves.ts";

/** So many of the newest are checked where the reader has not chosen. */
const CHECKED = 10;

/** What the reader has chosen: it stays while other views are shown. `undefined`: nothing yet. */
const chosen: {
  checked: readonly string[] | undefined;
  filter: string;
  order: Order | undefined;
} = { checked: undefined, filter: "", order: undefined };

/** Each run that was ever charted keeps its colour. */
const charted: string[] = [];

function colourOfRun(name: string): string {
  if (!charted.includes(name)) charted.push(name);
  return colourOf(charted.indexOf(name));
}

export function RunsView({ runs }: { readonly runs: readonly ListedRun[] }): JSX.Element {
  const { source } = usePage();
  const columns = useMemo(() => columnsOf(runs), [runs]);
  const [keys, setKeys] = useColumnKeys();
  const [filter, setFilter] = useState(chosen.filter);
  const [order, setOrder] = useState(chosen.order);
  const [checked, setChecked] = useState(chosen.checked);
  Object.assign(chosen, { filter, order, checked });
  const shownColumns = columns.filter(({ key, isDefault }) => keys?.includes(key) ?? isDefault);
  const found = runs.filter((run) => matches(run, filter, columns));
  const rows = order ? sorted(found, order, columns) : found;
  const names = checked ?? newestWithMetrics(runs);
  const shown = runs.filter(({ name }) => names.includes(name));
  const curves = useCurves(source, shown);
  const check = (name: string, isChecked: boolean): void =>
    setChecked(isChecked ? [...names, name] : names.filter((other) => other !== name));
  if (runs.length === 0) {
    return (
      <p>
        No run yet. <code>mlcli local train</code> makes one.
      </p>
    );
  }
  return (
    <>
      <Charts
        runs={shown.map(({ name }) => {
          return { name, colour: colourOfRun(name), curves: curves(name) };
        })}
      />
      <div class="tools">
        <Filter value={filter} onChange={setFilter} />
        <ColumnChooser columns={columns} shown={shownColumns} onChange={setKeys} />
        <Comparing names={names} />
        <span role="status" class="quiet">{rows.length} of {runs.length} runs</span>
      </div>
      <Scrolled label="Table of runs">
        <table>
          <thead>
            <tr>
              <th>Curves</th>
              {shownColumns.map((column) => (
                <Heading key={column.key} column={column} order={order} onOrder={setOrder} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((run) => (
              <Row
                key={run.name}
                run={run}
                columns={shownColumns}
                isChecked={names.includes(run.name)}
                onCheck={check}
              />
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

function newestWithMetrics(runs: readonly ListedRun[]): readonly string[] {
  return runs.filter(({ curve_bytes }) => curve_bytes > 0).slice(0, CHECKED).map(({ name }) =>
    name
  );
}

/** Kept in the browser, by app; in a report, not at all. */
function useColumnKeys(): [readonly string[] | undefined, (keys: readonly string[]) => void] {
  const { source, app } = usePage();
  const place = `mlcli columns ${app.app}`;
  const [keys, setKeys] = useState<readonly string[] | undefined>();
  useEffect(() => {
    const kept = source.isLive ? localStorage.getItem(place) : null;
    if (kept !== null) setKeys(kept.split("\n"));
  }, [place]);
  return [keys, (keys) => {
    setKeys(keys);
    if (source.isLive) localStorage.setItem(place, keys.join("\n"));
  }];
}

function Filter(
  { value, onChange }: { readonly value: string; readonly onChange: (value: string) => void },
): JSX.Element {
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
        placeholder="status=Failed lr>0.1 name"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function ColumnChooser({ columns, shown, onChange }: {
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  readonly onChange: (keys: readonly string[]) => void;
}): JSX.Element {
  const keys = shown.map(({ key }) => key);
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <fieldset>
        <legend>Columns that are shown</legend>
        {columns.map(({ key, heading }) => (
          <label key={key}>
            <input
              type="checkbox"
              checked={keys.includes(key)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...keys, key] : keys.filter((other) => other !== key))}
            />{" "}
            {heading}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

function Comparing({ names }: { readonly names: readonly string[] }): JSX.Element {
  const [one, other, ...more] = names;
  if (!one || !other || more.length > 0) {
    return <span class="quiet">Check two runs to compare them</span>;
  }
  return <Link to={["comparison", one, other]}>Compare the two checked runs</Link>;
}

interface HeadingProps {
  readonly column: Column;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order) => void;
}

function Heading(
  { column: { key, heading, isNumber }, order, onOrder }: HeadingProps,
): JSX.Element {
  const isSorted = order?.key === key;
  const direction = isSorted && order.isDescending ? "descending" : "ascending";
  return (
    <th class={isNumber ? "number" : undefined} aria-sort={isSorted ? direction : undefined}>
      <button
        type="button"
        onClick={() => onOrder({ key, isDescending: isSorted && !order.isDescending })}
      >
        {heading}
        <span aria-hidden="true">{isSorted ? order.isDescending ? " ↓" : " ↑" : ""}</span>
      </button>
    </th>
  );
}

interface RowProps {
  readonly run: ListedRun;
  readonly columns: readonly Column[];
  readonly isChecked: boolean;
  readonly onCheck: (name: string, isChecked: boolean) => void;
}

function Row({ run, columns, isChecked, onCheck }: RowProps): JSX.Element {
  const { name } = run;
  // What stays the same is not compared again: another run may be writing.
  const cells = useMemo(
    () => columns.map((column) => <Cell key={column.key} run={run} column={column} />),
    [run, columns.map(({ key }) => key).join("\n")],
  );
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`Curves of ${name}`}
          checked={isChecked}
          onChange={(event) => onCheck(name, event.currentTarget.checked)}
        />
        {isChecked && <span class="swatch" style={{ background: colourOfRun(name) }} />}
      </td>
      {cells}
    </tr>
  );
}

interface CellProps {
  readonly run: ListedRun;
  readonly column: Column;
}

function Cell({ run, column: { key, isNumber, valueOf } }: CellProps): JSX.Element {
  if (key === "name") {
    return (
      <th scope="row">
        <RunLink name={run.name} />
      </th>
    );
  }
  if (key === "status") {
    return (
      <td>
        <Status of={run.status} />
      </td>
    );
  }
  if (key === "created") {
    return (
      <td>
        <Time of={run.created} />
      </td>
    );
  }
  return (
    <td class={isNumber ? "number" : undefined}>
      {key === "seconds" ? <Duration of={run} /> : textOf(valueOf(run))}
    </td>
  );
}
