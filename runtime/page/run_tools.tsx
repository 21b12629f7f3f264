/** What chooses the rows and columns of the table of runs. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Column } from "./columns.ts";
import { usePage } from "./parts.tsx";

type FilterProps = Readonly<{ value: string; onChange: (value: string) => void }>;

export function Filter({ value, onChange }: FilterProps): JSX.Element {
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

type Keys = readonly string[];

interface ChooserProps {
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  readonly onChange: (keys: Keys) => void;
}

export function ColumnChooser({ columns, shown, onChange }: ChooserProps): JSX.Element {
  const choose = (column: Column, isChosen: boolean): void =>
    onChange(
      columns.filter((one) => one === column ? isChosen : shown.includes(one)).map(({ key }) =>
        key
      ),
    );
  return (
    <details class="chooser">
      <summary>Columns</summary>
      <fieldset>
        <legend>Columns that are shown</legend>
        {columns.map((column) => (
          <label key={column.key}>
            <input
              type="checkbox"
              checked={shown.includes(column)}
              onChange={(event) => choose(column, event.currentTarget.checked)}
            />{" "}
            {column.heading}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

/** Those that the reader chose. A browser keeps them, by app, if it may; a report does not. */
export function useColumnKeys(): [Keys | undefined, (keys: Keys) => void] {
  const { source, app } = usePage();
  const place = `mlcli columns ${app.app}`;
  const [keys, setKeys] = useState(() =>
    source.isLive ? orNothing(() => localStorage.getItem(place)?.split("\n")) : undefined
  );
  return [keys, (keys) => {
    setKeys([...keys]);
    if (source.isLive) orNothing(() => localStorage.setItem(place, keys.join("\n")));
  }];
}

/** Some browsers forbid to keep anything. */
function orNothing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
