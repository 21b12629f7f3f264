/** A run's log as it comes: its end first; what is before, when the reader asks for it. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { bytesText } from "./text.ts";
import { blocksOf, type LogBlock } from "./log.ts";
import { Failed, usePage } from "./parts.tsx";
import type { Source } from "./source.ts";

/** So much is loaded at once of what is before, and so much is kept, in bytes. */
const EARLIER = 200_000;
const KEPT = 4_000_000;

interface Part {
  readonly from: number;
  readonly blocks: readonly LogBlock[];
}

/** What is shown of a log. */
interface Shown {
  readonly parts: readonly Part[];
  /** The beginning of a line whose end has not come. */
  readonly rest: string;
  readonly next: number | undefined;
}

/** @param size of the log, as far as it is known. */
export function Log({ name, size }: { readonly name: string; readonly size: number }): JSX.Element {
  const { source } = usePage();
  const [shown, setShown] = useState<Shown>({ parts: [], rest: "", next: undefined });
  const [error, setError] = useState<Error>();
  const isBusy = useRef(false);
  const run = (work: Promise<Shown>): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    work.then((shown) => (setShown(shown), setError(undefined)), setError)
      .finally(() => isBusy.current = false);
  };
  // Each part that has come is a new `shown`, after which the next one is asked for.
  useEffect(() => {
    if (shown.next === undefined || shown.next < size) run(withMore(shown, source, name));
  }, [shown, size]);
  const start = shown.parts[0]?.from ?? 0;
  const { box, onScroll, keepPlace } = useScrolling(shown);
  const earlier = (): void => {
    keepPlace();
    run(withEarlier(shown, source, name));
  };
  const isFull = (shown.next ?? 0) - start + EARLIER > KEPT;
  return (
    <>
      {error && <Failed error={error} />}
      {start > 0 && (
        <p>
          {bytesText(start)} are before this. {isFull
            ? "The page shows no more of it."
            : <button type="button" onClick={earlier}>Show earlier lines</button>}
        </p>
      )}
      {size === 0 && !shown.next && !error && <p>Nothing has been written.</p>}
      <div
        class="log"
        ref={box}
        onScroll={onScroll}
        role="region"
        aria-label={`Log of ${name}`}
        tabIndex={0}
      >
        {shown.parts.map(({ from, blocks }) => <Blocks key={from} blocks={blocks} />)}
        <Blocks blocks={blocksOf(shown.rest && `${shown.rest}\n`).blocks} />
      </div>
    </>
  );
}

function Blocks({ blocks }: { readonly blocks: readonly LogBlock[] }): JSX.Element {
  return (
    <>
      {blocks.map(({ isError, text }, index) => (
        <pre key={index} class={isError ? "stderr" : undefined}>
          {isError && <span class="mark">stderr</span>}{text}
        </pre>
      ))}
    </>
  );
}

async function withMore(
  { parts, rest, next }: Shown,
  source: Source,
  name: string,
): Promise<Shown> {
  const part = await source.log(name, next);
  const { blocks, rest: newRest } = blocksOf(rest + part.text);
  const kept = [...parts, { from: part.from, blocks }].filter(({ from }) =>
    part.next - from <= KEPT
  );
  return { parts: kept, rest: newRest, next: part.next };
}

async function withEarlier(shown: Shown, source: Source, name: string): Promise<Shown> {
  const start = shown.parts[0]!.from;
  const asked = Math.max(0, start - EARLIER);
  const { text } = await source.log(name, asked);
  const bytes = new TextEncoder().encode(text).subarray(0, start - asked);
  // Its first line may have begun before.
  const begin = asked > 0 ? bytes.indexOf(10) + 1 : 0;
  const { blocks } = blocksOf(new TextDecoder().decode(bytes.subarray(begin)));
  return { ...shown, parts: [{ from: asked + begin, blocks }, ...shown.parts] };
}

/** Follows the end, unless the reader has scrolled up; keeps the place when lines come before it. */
function useScrolling(shown: Shown): {
  box: { current: HTMLDivElement | null };
  onScroll: () => void;
  keepPlace: () => void;
} {
  const box = useRef<HTMLDivElement>(null);
  /** From the end; 0 is the end itself. */
  const place = useRef(0);
  const start = useRef(0);
  const measure = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!;
    const left = scrollHeight - scrollTop;
    place.current = left - clientHeight < 20 ? 0 : left;
  };
  useLayoutEffect(() => {
    const begin = shown.parts[0]?.from ?? 0;
    const { scrollHeight } = box.current!;
    if (place.current === 0 || begin < start.current) {
      box.current!.scrollTop = scrollHeight - place.current;
    }
    start.current = begin;
  }, [shown]);
  return { box, onScroll: measure, keepPlace: measure };
}
