/** All runs: their curves, and the table of them. */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ListedRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { colourOf } from "./colours.ts";
import { columnsOf, matches, type Order, sorted } from "./columns.ts";
import { Link, usePage } from "./parts.tsx";
import { RunTable } from "./run_table.tsx";
import { ColumnChooser, Filter, useColumnKeys } from "./run_tools.tsx";
import { useCurves } from "./use_curves.ts";

/** So many of the newest are checked where the reader has not chosen. */
const CHECKED = 10;

/** What the reader has chosen stays while other views are shown. */
const chosen: { checked?: readonly string[]; filter: string; order?: Order } = { filter: "" };

/** Each run that was ever charted keeps its colour. */
const charted: string[] = [];

function colourOfRun(name: string): string {
  if (!charted.includes(name)) charted.push(name);
  return colourOf(charted.indexOf(name));
}

export function RunsView({ runs }: Readonly<{ runs: readonly ListedRun[] }>): JSX.Element {
  const { source } = usePage();
  const columns = useMemo(() => columnsOf(runs), [runs]);
  const [keys, setKeys] = useColumnKeys();
  const [filter, setFilter] = useState(chosen.filter);
  const [order, setOrder] = useState(chosen.order);
  const [checked, setChecked] = useState(chosen.checked);
  Object.assign(chosen, { filter, order, checked });
  const found = runs.filter((run) => matches(run, filter, columns));
  const names = checked ?? newestWithMetrics(runs);
  const drawn = runs.filter(({ name }) => names.includes(name));
  const [newer, older, ...more] = drawn;
  const curves = useCurves(source, drawn);
  const shown = columns.filter(({ key, isDefault }) => keys?.includes(key) ?? isDefault);
  if (runs.length === 0) {
    return (
      <p>
        No run yet: <code>mlcli local train</code> makes one.
      </p>
    );
  }
  return (
    <>
      <Charts
        runs={drawn.map(({ name }) => {
          return { name, colour: colourOfRun(name), curves: curves(name) };
        })}
      />
      <div class="tools">
        <Filter value={filter} onChange={setFilter} />
        <ColumnChooser columns={columns} shown={shown} onChange={setKeys} />
        {older && newer && more.length === 0
          ? <Link to={["comparison", older.name, newer.name]}>Compare the two checked runs</Link>
          : <span class="quiet">Check two runs to compare them</span>}
        <span role="status" class="quiet">{found.length} of {runs.length} runs</span>
      </div>
      <RunTable
        runs={order ? sorted(found, order, columns) : found}
        columns={shown}
        order={order}
        onOrder={setOrder}
        colourOf={(name) => names.includes(name) ? colourOfRun(name) : undefined}
        onCheck={(name, isChecked) =>
          setChecked(isChecked ? [...names, name] : names.filter((other) => other !== name))}
      />
    </>
  );
}

function newestWithMetrics(runs: readonly ListedRun[]): readonly string[] {
  const those = runs.filter(({ curve_bytes }) => curve_bytes > 0).slice(0, CHECKED);
  return those.map(({ name }) => name);
}
