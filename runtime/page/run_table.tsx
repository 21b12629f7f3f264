/** The table of runs, whose headings sort it. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ListedRun } from "./api.ts";
import type { Column, Order } from "./columns.ts";
import { Duration, RunLink, Scrolled, Status, Time } from "./parts.tsx";
import { textOf } from "./text.ts";

interface TableProps {
  readonly runs: readonly ListedRun[];
  readonly columns: readonly Column[];
  readonly order: Order | undefined;
  readonly onOrder: (order: Order) => void;
  /** `undefined` where a run is not checked. */
  readonly colourOf: (name: string) => string | undefined;
  readonly onCheck: (name: string, isChecked: boolean) => void;
}

export function RunTable(props: TableProps): JSX.Element {
  const { runs, columns, order, onOrder, colourOf, onCheck } = props;
  return (
    <Scrolled label="Table of runs">
      <table>
        <thead>
          <tr>
            <th>Curves</th>
            {columns.map((column) => (
              <Heading
                key={column.key}
                column={column}
                order={order?.key === column.key ? order : undefined}
                onOrder={onOrder}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.name}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Curves of ${run.name}`}
                  checked={colourOf(run.name) !== undefined}
                  onChange={(event) => onCheck(run.name, event.currentTarget.checked)}
                />
                <span class="swatch" style={{ background: colourOf(run.name) ?? "none" }} />
              </td>
              <Cells run={run} columns={columns} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

interface HeadingProps {
  readonly column: Column;
  /** Where the table is sorted by this column. */
  readonly order: Order | undefined;
  readonly onOrder: (order: Order) => void;
}

function Heading(
  { column: { key, heading, isNumber }, order, onOrder }: HeadingProps,
): JSX.Element {
  const direction = order && (order.isDescending ? "descending" : "ascending");
  const next = { key, isDescending: order !== undefined && !order.isDescending };
  return (
    <th class={isNumber ? "number" : undefined} aria-sort={direction}>
      <button type="button" onClick={() => onOrder(next)}>{heading}</button>
    </th>
  );
}

interface CellProps {
  readonly run: ListedRun;
  readonly columns: readonly Column[];
}

/** What stays the same is not compared again: another run may be writing. */
function Cells({ run, columns }: CellProps): JSX.Element {
  const keys = columns.map(({ key }) => key).join("\n");
  return useMemo(() => <>{columns.map((column) => cellOf(run, column))}</>, [run, keys]);
}

function cellOf(run: ListedRun, column: Column): JSX.Element {
  const { key, isNumber } = column;
  const shown = shownOf(run, column);
  if (key === "name") return <th key={key} scope="row">{shown}</th>;
  return <td key={key} class={isNumber ? "number" : undefined}>{shown}</td>;
}

function shownOf(run: ListedRun, { key, valueOf }: Column): JSX.Element | string {
  const value = valueOf(run);
  if (key === "name") return <RunLink name={run.name} />;
  if (key === "status") return <Status of={run.status} />;
  if (key === "seconds") return <Duration of={run} />;
  const isTime = (key === "created" || key === "ended") && value !== null;
  return isTime ? <Time of={String(value)} /> : textOf(value);
}
