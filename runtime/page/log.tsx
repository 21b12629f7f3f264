/** A run's log as it comes: its end first; what is before, when the reader asks for it. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { terminalText } from "../text.ts";
import { Failed, usePage } from "./parts.tsx";
import type { Source } from "./source.ts";
import { byteCount } from "../quantities.ts";

/** So much is loaded at once of what is before, and so much is kept, in bytes. */
const EARLIER = 200_000;
const KEPT = 4_000_000;

/** What is shown of a log. */
interface Shown {
  readonly parts: readonly { readonly from: number; readonly blocks: readonly LogBlock[] }[];
  /** The beginning of a line whose end has not come. */
  readonly rest: string;
  /** From where to ask for more; `undefined`: nothing has come. */
  readonly next: number | undefined;
}

/** @param size of the log, as far as it is known. */
export function Log({ name, size }: { readonly name: string; readonly size: number }): JSX.Element {
  const { source } = usePage();
  const [shown, setShown] = useState<Shown>({ parts: [], rest: "", next: undefined });
  const [error, setError] = useState<Error>();
  const isBusy = useRef(false);
  const load = (work: typeof withMore): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    work(shown, source, name).finally(() => isBusy.current = false)
      .then((shown) => (setShown(shown), setError(undefined)), setError);
  };
  // Each part that has come is a new `shown`, after which the next one is asked for.
  useEffect(() => {
    if (shown.next === undefined || shown.next < size) load(withMore);
  }, [shown, size]);
  if (error) return <Failed error={error} />;
  const start = shown.parts[0]?.from ?? 0;
  return (
    <>
      {start > 0 && (
        <p>
          {byteCount(start)} of earlier lines are hidden. {shown.next! - start + EARLIER > KEPT
            ? "The log is too long for this page."
            : <button type="button" onClick={() => load(withEarlier)}>Show earlier lines</button>}
        </p>
      )}
      {shown.next === 0 && <p>The log is empty</p>}
      <div class="log" role="region" aria-label={`Log of ${name}`} tabIndex={0}>
        {/* In a box that begins at its end, so that the browser follows it. */}
        <div>
          {shown.parts.map(({ from, blocks }) => <Blocks key={from} blocks={blocks} />)}
          <Blocks blocks={blocksOf(shown.rest && `${shown.rest}\n`).blocks} />
        </div>
      </div>
    </>
  );
}

function Blocks({ blocks }: Readonly<{ blocks: readonly LogBlock[] }>): JSX.Element {
  return (
    <>
      {blocks.map(({ isError, text }, index) =>
        isError
          ? <pre key={index}><span class="mark">stderr</span>{text}</pre>
          : <pre key={index}>{text}</pre>
      )}
    </>
  );
}

async function withMore(shown: Shown, source: Source, name: string): Promise<Shown> {
  const { from, next, text } = await source.log(name, shown.next);
  if (next === shown.next) return shown;
  const { blocks, rest } = blocksOf(shown.rest + text);
  const parts = [...shown.parts, { from, blocks }].filter(({ from }) => next - from <= KEPT);
  // A line without an end is not kept whole either.
  return { parts, rest: rest.slice(-EARLIER), next };
}

async function withEarlier(shown: Shown, source: Source, name: string): Promise<Shown> {
  const start = shown.parts[0]!.from;
  const from = Math.max(0, start - EARLIER);
  const { text } = await source.log(name, from);
  const bytes = new TextEncoder().encode(text).subarray(0, start - from);
  // Its first line may have begun before.
  const begin = from > 0 ? bytes.indexOf(10) + 1 : 0;
  const { blocks } = blocksOf(new TextDecoder().decode(bytes.subarray(begin)));
  return { ...shown, parts: [{ from: from + begin, blocks }, ...shown.parts] };
}

/** Lines that came on the same stream, one after the other. */
export interface LogBlock {
  readonly isError: boolean;
  readonly text: string;
}

/** The blocks of whole lines, each of which has a mark before it, and the beginning of the next line. */
export function blocksOf(marked: string): { blocks: readonly LogBlock[]; rest: string } {
  const end = marked.lastIndexOf("\n") + 1;
  const blocks: { isError: boolean; lines: string[] }[] = [];
  for (const line of marked.slice(0, end).split("\n").slice(0, -1)) {
    const isError = line.startsWith("err ");
    const text = isError || line.startsWith("out ") ? line.slice(4) : line;
    if (blocks.at(-1)?.isError === isError) blocks.at(-1)!.lines.push(text);
    else blocks.push({ isError, lines: [text] });
  }
  return {
    blocks: blocks.map(({ isError, lines }) => ({ isError, text: terminalText(lines.join("\n")) })),
    rest: marked.slice(end),
  };
}
