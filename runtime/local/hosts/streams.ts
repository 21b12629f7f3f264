/** The output of several hosts in one stream: each line is whole, and begins with the host's name. */

import { hostColour } from "../../host_colours.ts";
import { joined, type Output, overlaid } from "../../streams.ts";

const NEW_LINE = 10;
const RETURN = 13;

/** What is longer, in bytes, is passed on before the line ends. */
export const LONGEST_LINE = 64 * 1024;

export interface Streams {
  readonly out: Output;
  readonly err: Output;
}

/** A host's streams; `end` is to be called after the last byte. */
export interface HostStreams extends Streams {
  readonly end: () => Promise<void>;
}

/**
 * Each line begins with the host's name, on a terminal in its colour.
 *
 * @param kept keeps what is written to streams; it gets no colour.
 */
export function hostStreams(
  host: string,
  kept: (streams: Streams) => Streams,
  { out, err }: Streams,
): HostStreams {
  const shown = kept({ out: coloured(out, host), err: coloured(err, host) });
  const lines = {
    out: prefixed(`${host}: `, (line) => shown.out.write(line)),
    err: prefixed(`${host}: `, (line) => shown.err.write(line)),
  };
  return {
    out: overlaid(out, { write: lines.out.write }),
    err: overlaid(err, { write: lines.err.write }),
    async end() {
      await lines.out.end();
      await lines.err.end();
    },
  };
}

/** Paints the name at the beginning of what is written, if it is there. */
function coloured(output: Output, host: string): Output {
  if (!output.colour) return output;
  const name = new TextEncoder().encode(host);
  const painted = new TextEncoder().encode(`\x1b[${hostColour(host)}m${host}\x1b[39m`);
  return overlaid(output, {
    write: (line) => {
      const isNamed = name.every((byte, at) => line[at] === byte);
      return output.write(isNamed ? joined([painted, line.subarray(name.length)]) : line);
    },
  });
}

/**
 * Passes lines on, each with a prefix. A carriage return at the beginning or the end of a write ends a
 * line, too: those are of progress bars. Bytes stay as they are, also where they are not UTF-8.
 *
 * @param write gets a line in one call, with its end; a very long one in several, of which the first has
 * the prefix.
 */
export function prefixed(
  prefix: string,
  write: (line: Uint8Array) => Promise<void>,
): { readonly write: Output["write"]; readonly end: HostStreams["end"] } {
  const start = new TextEncoder().encode(prefix);
  const middle = new Uint8Array();
  let begun: Uint8Array = start;

  async function add(bytes: Uint8Array): Promise<void> {
    begun = joined([begun, bytes]);
    const isEnd = begun.at(-1) === NEW_LINE || begun.at(-1) === RETURN;
    if (!isEnd && begun.length < LONGEST_LINE) return;
    const piece = begun;
    begun = isEnd ? start : middle;
    await write(piece);
  }

  return {
    async write(bytes) {
      const isBar = bytes.length > 1 && bytes[0] === RETURN && bytes[1] !== NEW_LINE;
      if (isBar) await add(bytes.subarray(0, 1));
      for (let at = isBar ? 1 : 0; at < bytes.length;) {
        const end = bytes.indexOf(NEW_LINE, at) + 1 || bytes.length;
        await add(bytes.subarray(at, end));
        at = end;
      }
    },
    async end() {
      if (begun !== start) await add(new Uint8Array([NEW_LINE]));
    },
  };
}
