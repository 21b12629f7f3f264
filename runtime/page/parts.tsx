/** Small parts that several views have. */

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { addressOf, hashOf, type View } from "./address.ts";
import type { App, Run } from "./api.ts";
import { lookOf } from "./looks.ts";
import { type Source, SourceError } from "./source.ts";
import { NONE, spanText, textOf, timeText } from "./text.ts";

/** What each view can ask for. */
interface Page {
  readonly source: Source;
  readonly app: App;
}

const PageContext = createContext<Page | undefined>(undefined);
export const PageProvider = PageContext.Provider;

export function usePage(): Page {
  return useContext(PageContext)!;
}

type LinkProps = Readonly<{ to: View; isCurrent?: boolean; children: ComponentChildren }>;

export function Link({ to, isCurrent, children }: LinkProps): JSX.Element {
  const { token } = addressOf(location.hash);
  const current = isCurrent ? "page" : undefined;
  return <a href={hashOf({ token, view: to })} aria-current={current}>{children}</a>;
}

export function RunLink({ name }: Readonly<{ name: string }>): JSX.Element {
  return <Link to={["runs", name]}>{name}</Link>;
}

/** The colour of a run's curves. */
export function Swatch({ of }: Readonly<{ of: string }>): JSX.Element {
  return <span class="swatch" style={{ background: lookOf(of).colour }} />;
}

/**
 * Loads something, and again when one of `of` is another. Meanwhile the last value stays.
 *
 * @returns the value, and a sentence where there is none.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  of: readonly unknown[],
): [T | undefined, JSX.Element | null] {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (value) => isCurrent && (setValue(() => value), setError(undefined)),
      (error) => isCurrent && setError(error),
    );
    return () => void (isCurrent = false);
  }, of);
  const sentence = error ? <Failed error={error} /> : value === undefined ? <p>Loading…</p> : null;
  return [value, sentence];
}

export function Failed({ error }: Readonly<{ error: Error }>): JSX.Element {
  const hint = error instanceof SourceError ? error.hint : null;
  return <p class="failed">{error.message} {hint && <small>{hint}</small>}</p>;
}

interface FactsProps {
  readonly title?: string;
  readonly of: Readonly<Record<string, ComponentChildren>>;
}

/** Names and what they are. Leaves out what is not known; nothing where nothing is. */
export function Facts({ title, of }: FactsProps): JSX.Element | null {
  const known = Object.entries(of).filter(([, value]) => (value ?? "") !== "");
  return known.length === 0 ? null : (
    <>
      {title && <h2>{title}</h2>}
      <dl>
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface TableProps {
  /** Is its name; with `isTitled`, a heading before it, too. */
  readonly label: string;
  readonly isTitled?: boolean;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly (string | number | null | JSX.Element)[])[];
  /** Of the rows, where they come and go. */
  readonly keys?: readonly string[];
  /** Makes buttons of the headings. */
  readonly sort?: {
    /** Which column it is sorted by. */
    readonly by: number;
    readonly isDescending: boolean;
    readonly onSort: (column: number) => void;
  };
}

/** Nothing where there are no rows, but for one that sorts. */
export function Table(
  { label, isTitled, headings, rows, keys, sort }: TableProps,
): JSX.Element | null {
  if (rows.length === 0 && !sort) return null;
  const isNumber = headings.map((_, at) => rows.some((row) => typeof row[at] === "number"));
  const kind = (at: number): string | undefined => isNumber[at] ? "number" : undefined;
  const direction = sort?.isDescending ? "descending" : "ascending";
  return (
    <>
      {isTitled && <h2>{label}</h2>}
      <Scrolled label={label}>
        <table>
          <thead>
            <tr>
              {headings.map((heading, at) => (
                <th key={at} class={kind(at)} aria-sort={sort?.by === at ? direction : undefined}>
                  {sort
                    ? (
                      <button
                        type="button"
                        onClick={() => sort.onSort(at)}
                      >
                        {heading}
                      </button>
                    )
                    : heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells], row) => (
              <tr key={keys?.[row] ?? row}>
                <th scope="row">{shown(name)}</th>
                {cells.map((cell, at) => <td key={at} class={kind(at + 1)}>{shown(cell)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

function shown(cell: string | number | null | undefined | JSX.Element): string | JSX.Element {
  return typeof cell === "object" && cell !== null ? cell : textOf(cell);
}

type ScrolledProps = Readonly<{ label: string; children: ComponentChildren }>;

/** What is scrolled by itself; it can be focused, so that the keyboard does it, too. */
export function Scrolled({ label, children }: ScrolledProps): JSX.Element {
  return <div class="scrolled" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}

export function Status({ of }: Readonly<{ of: string }>): JSX.Element {
  return <span class="status" data-of={of.toLowerCase()}>{of}</span>;
}

export function Time({ of }: Readonly<{ of: string }>): JSX.Element {
  return <time dateTime={of}>{timeText(of)}</time>;
}

type Timed = Readonly<{ of: Pick<Run, "status" | "seconds" | "created"> }>;

/** How long a run took; of one that goes on, how long it has taken, each second anew. */
export function Duration({ of: { status, seconds, created } }: Timed): JSX.Element {
  const isRunning = seconds === null && status === "InProgress";
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const past = Math.max(0, Math.floor((now - Date.parse(created)) / 1_000));
  const shown = isRunning ? past : seconds;
  return <>{shown === null ? NONE : spanText(1_000 * shown)}</>;
}
