/** Small parts that several views have. */

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { hashOf, type View } from "./address.ts";
import type { App, Run } from "./api.ts";
import { type Source, SourceError } from "./source.ts";
import { NONE, spanText, timeText } from "./text.ts";

/** What each view can ask for. */
export interface Page {
  readonly source: Source;
  readonly app: App;
  readonly token: string;
}

const PageContext = createContext<Page | undefined>(undefined);
export const PageProvider = PageContext.Provider;

export function usePage(): Page {
  return useContext(PageContext)!;
}

type LinkProps = Readonly<{ to: View; isCurrent?: boolean; children: ComponentChildren }>;

export function Link({ to, isCurrent, children }: LinkProps): JSX.Element {
  const { token } = usePage();
  const current = isCurrent ? "page" : undefined;
  return <a href={hashOf({ token, view: to })} aria-current={current}>{children}</a>;
}

export function RunLink({ name }: Readonly<{ name: string }>): JSX.Element {
  return <Link to={["runs", name]}>{name}</Link>;
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
  const sentence = error ? <Failed error={error} /> : value === undefined ? <p>Loading …</p> : null;
  return [value, sentence];
}

export function Failed({ error }: Readonly<{ error: Error }>): JSX.Element {
  const hint = error instanceof SourceError ? error.hint : null;
  return <p class="failed">{error.message}{hint && <span class="hint">{hint}</span>}</p>;
}

type FactProps = Readonly<{ name: string; value: ComponentChildren }>;

/** A name and what it is; left out where that is not known. Stands in a `dl`. */
export function Fact({ name, value }: FactProps): JSX.Element | null {
  if (value === null || value === undefined || value === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface TableProps {
  readonly label: string;
  readonly headings: readonly string[];
  /** From which column on there are numbers, and up to which. */
  readonly numbers?: readonly [from: number, to: number];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** Nothing where there are no rows. */
export function Table(
  { label, headings, numbers: [from, to] = [0, 0], rows }: TableProps,
): JSX.Element | null {
  if (rows.length === 0) return null;
  const kind = (column: number): string | undefined =>
    column >= from && column < to ? "number" : undefined;
  return (
    <Scrolled label={label}>
      <table>
        <thead>
          <tr>{headings.map((heading, at) => <th key={at} class={kind(at)}>{heading}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>{row.map((cell, at) => <td key={at} class={kind(at)}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
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

type Timed = Pick<Run, "status" | "seconds" | "created">;

/** How long a run took; of one that goes on, how long it has taken, each second anew. */
export function Duration(
  { of: { status, seconds, created } }: { readonly of: Timed },
): JSX.Element {
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
