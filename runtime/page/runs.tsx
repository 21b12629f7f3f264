/** All runs: their curves, and the table of them, which sorts, filters and chooses columns. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ListedRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { type Column, columnsOf, filterOf, type Order, sorted } from "./columns.ts";
import { Duration, Link, RunLink, Status, Swatch, Table, Time } from "./parts.tsx";
import { own } from "../text.ts";

/** So many of the newest have a tick where the reader has not chosen. */
const TICKED = 10;

/** What the reader has chosen. */
interface Choice {
  readonly filter: string;
  readonly order?: Order;
  /** Runs that the reader gave a tick, or took it from; the others have what the page gives. */
  readonly ticks: Readonly<Record<string, boolean>>;
  /** Keys of the columns that are shown. */
  readonly columns?: readonly string[];
}

/** Pages of other apps, and reports, may have the same origin. */
const KEPT = `mlcli ${location.pathname}`;

/** Stays while other views are shown, and when the tab is loaded again. */
function kept(): Choice {
  try {
    return { filter: "", ticks: {}, ...JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") };
  } catch {
    return { filter: "", ticks: {} }; // The browser keeps nothing for pages.
  }
}

function keep(choice: Choice): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(choice));
  } catch {
    // As above.
  }
}

export function RunsView({ runs }: Readonly<{ runs: readonly ListedRun[] }>): JSX.Element {
  const [choice, setChoice] = useState(kept);
  const choose = (part: Partial<Choice>): void => {
    const now = { ...choice, ...part };
    keep(now);
    setChoice(now);
  };
  const { filter, order, ticks } = choice;
  const columns = useMemo(() => columnsOf(runs), [runs]);
  const shown = columns.filter(({ key, isDefault }) => choice.columns?.includes(key) ?? isDefault);
  const { isMet, unknown } = filterOf(filter, columns);
  const found = runs.filter(isMet);
  const rows = order ? sorted(found, order, columns) : found;
  const newest = newestWithMetrics(runs);
  const isTicked = (name: string): boolean => own(ticks, name) ?? newest.includes(name);
  const drawn = found.filter(({ name }) => isTicked(name));
  const tick = (names: readonly string[], isTicked: boolean): void =>
    choose({ ticks: { ...ticks, ...Object.fromEntries(names.map((name) => [name, isTicked])) } });
  const cellOf = (run: ListedRun, column: Column) =>
    column.key === "name"
      ? <Name run={run} isTicked={isTicked(run.name)} onTick={tick} />
      : valueOf(run, column);
  if (runs.length === 0) {
    return (
      <p>
        No runs yet. Start one: <code>mlcli local train</code>
      </p>
    );
  }
  return (
    <>
      {drawn.length > 0 ? <Charts runs={drawn} /> : <p>Select runs to see their curves</p>}
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
              Compare the selected runs
            </Link>
          )
          : <small>Select two runs to compare them ({drawn.length} selected)</small>}
        <button
          type="button"
          onClick={() => tick(found.map(({ name }) => name), drawn.length === 0)}
        >
          {drawn.length === 0 ? "Select all" : "Clear selection"}
        </button>
        <small role="status">
          {found.length} of {runs.length} runs
          {unknown.length > 0 && `; unknown column in ${unknown.join(" ")}`}
        </small>
      </div>
      <Table
        label="Runs"
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
  const those = runs.filter(({ curve_bytes }) => curve_bytes > 0).slice(0, TICKED);
  return those.map(({ name }) => name);
}

interface NameProps {
  readonly run: ListedRun;
  readonly isTicked: boolean;
  readonly onTick: (names: readonly string[], isTicked: boolean) => void;
}

function Name({ run: { name }, isTicked, onTick }: NameProps): JSX.Element {
  return (
    <>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isTicked}
        onChange={(event) => onTick([name], event.currentTarget.checked)}
      />
      {isTicked ? <Swatch of={name} /> : <span class="swatch" />}
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
  // There may be thousands.
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="chooser" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Columns</summary>
      <fieldset>
        <legend>Visible columns</legend>
        {/* The first is the name, with the tick and the link. */}
        {isOpen && columns.slice(1).map(({ key, heading }) => (
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
