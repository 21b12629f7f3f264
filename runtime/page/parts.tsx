/** Small parts that several views have. */

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { App } from "./api.ts";
import { hashOf, type View } from "./address.ts";
import { NONE, spanText, timeText } from "./text.ts";
import { type Source, SourceError } from "./source.ts";

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

export function Link(
  { to, isCurrent, children }: {
    readonly to: View;
    readonly isCurrent?: boolean;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const { token } = usePage();
  return (
    <a href={hashOf({ token, view: to })} aria-current={isCurrent ? "page" : undefined}>
      {children}
    </a>
  );
}

export function RunLink({ name }: { readonly name: string }): JSX.Element {
  return <Link to={{ name: "run", run: name }}>{name}</Link>;
}

export type Loaded<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly value?: undefined; readonly error?: SourceError };

/** Loads something, and again when one of `of` is another. Meanwhile the last value stays. */
export function useLoaded<T>(load: () => Promise<T>, of: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({});
  useEffect(() => {
    let isOver = false;
    load().then(
      (value) => isOver || setLoaded({ value }),
      (error) => isOver || setLoaded({ error }),
    );
    return () => void (isOver = true);
  }, of);
  return loaded;
}

/** What was loaded; before that, or if it failed, a sentence. */
export function Waiting<T>(
  { on, children }: {
    readonly on: Loaded<T>;
    readonly children: (value: T) => ComponentChildren;
  },
): JSX.Element {
  if (on.error) return <Failed error={on.error} />;
  return on.value === undefined ? <p>Loading …</p> : <>{children(on.value)}</>;
}

export function Failed({ error }: { readonly error: Error }): JSX.Element {
  const hint = error instanceof SourceError ? error.hint : null;
  return (
    <p class="failed">
      {error.message}
      {hint && <span class="hint">{hint}</span>}
    </p>
  );
}

/** Names and what they are. */
export function Facts({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <dl>{children}</dl>;
}

/** Left out where its value is not known. */
export function Fact(
  { name, children }: { readonly name: string; readonly children: ComponentChildren },
): JSX.Element | null {
  if (children === null || children === undefined || children === "") return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A table that is scrolled by itself where it is wider than the page. */
export function Table(
  { label, headings, numbers = [], rows }: {
    readonly label: string;
    readonly headings: readonly string[];
    /** Columns of numbers. */
    readonly numbers?: readonly number[];
    readonly rows: readonly (readonly ComponentChildren[])[];
  },
): JSX.Element {
  const kind = (column: number): string | undefined =>
    numbers.includes(column) ? "number" : undefined;
  return (
    <Scrolled label={label}>
      <table>
        <thead>
          <tr>
            {headings.map((heading, index) => <th key={index} class={kind(index)}>{heading}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => <td key={index} class={kind(index)}>{cell ?? NONE}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

/** Can be focused, so that the keyboard scrolls it. */
export function Scrolled(
  { label, children }: { readonly label: string; readonly children: ComponentChildren },
): JSX.Element {
  return <div class="scrolled" role="region" aria-label={label} tabIndex={0}>{children}</div>;
}

export function Status({ of }: { readonly of: string }): JSX.Element {
  return <span class={`status ${/^[A-Za-z]+$/.test(of) ? of.toLowerCase() : ""}`}>{of}</span>;
}

export function Time({ of }: { readonly of: string }): JSX.Element {
  return <time dateTime={of}>{timeText(of)}</time>;
}

/** How long a run took; of one that goes on, how long it has taken, each second anew. */
export function Duration(
  { of }: { readonly of: { status: string; seconds: number | null; created: string } },
): JSX.Element {
  const isRunning = of.seconds === null && of.status === "InProgress";
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (isRunning) return <>{spanText(1_000 * Math.floor((now - Date.parse(of.created)) / 1_000))}</>;
  return <>{of.seconds === null ? NONE : spanText(1_000 * of.seconds)}</>;
}
