/** The output of several hosts in one stream. */

import { hostColour } from "../../host_colours.ts";
import { type Output, overlaid } from "../../streams.ts";
import { prefixed } from "./lines.ts";

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
  const prefix = `${host}: `;
  const shown = kept({ out: coloured(out, host), err: coloured(err, host) });
  const lines = {
    out: prefixed(prefix, (line) => shown.out.write(line)),
    err: prefixed(prefix, (line) => shown.err.write(line)),
  };
  return {
    out: overlaid(out, { write: (bytes) => lines.out.write(bytes) }),
    err: overlaid(err, { write: (bytes) => lines.err.write(bytes) }),
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
      if (!name.every((byte, at) => line[at] === byte)) return output.write(line);
      const whole = new Uint8Array(painted.length + line.length - name.length);
      whole.set(painted);
      whole.set(line.subarray(name.length), painted.length);
      return output.write(whole);
    },
  });
}
