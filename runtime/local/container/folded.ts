/** Folds the frames of packages in Python's tracebacks on a terminal. The log of a run has all of them. */

import { isLibrary, TRACEBACK } from "../../contract/tracebacks.ts";
import { joined, type Output, overlaid } from "../../streams.ts";
import { listed, withoutSequences } from "../../text.ts";

const NEW_LINE = 10;
const NOTHING = new Uint8Array();

/** As Python prints a frame; `faulthandler` prints them without a comma before `in`, innermost first. */
const FRAME = /^ {2}File "(.{1,4096}?)", line \d{1,9}, in /;

/** Stands before each line if a run has several hosts. */
const HOST = /^algo-\d{1,9}: /;

/** Longer lines and longer tracebacks, in bytes and frames, are not folded. */
const LONGEST_LINE = 8192;
const MOST_FRAMES = 2000;

/** How much of a line is remembered to find the heading, in bytes: a progress bar may stand before it. */
const HEADING = 256;

export interface Folded {
  readonly output: Output;
  /** Writes what it still holds. */
  readonly end: () => Promise<void>;
}

/**
 * Returns a stream that folds frames if it is a terminal.
 *
 * @param log where all frames are, as the user types it.
 */
export function folded(output: Output, log: string): Folded {
  if (!output.isTerminal) return { output, end: () => Promise.resolve() };
  const frames = new FoldedFrames(log);
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length > 0) await output.write(bytes);
  };
  return {
    output: overlaid(output, { write: (bytes) => write(frames.add(bytes)) }),
    end: () => write(frames.end()),
  };
}

/** Takes bytes as they come, and returns those to show. */
export class FoldedFrames {
  /** The line that has no end yet; outside of a traceback, the end of what was shown of it. */
  #line = NOTHING;
  #isInTraceback = false;
  /** Frames of packages, one after the other, that are not shown yet. */
  #frames: Uint8Array[] = [];

  constructor(private readonly log: string) {}

  add(bytes: Uint8Array): Uint8Array {
    const shown: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(NEW_LINE, at) + 1 || bytes.length;
      shown.push(...this.#addPiece(bytes.subarray(at, end)));
      at = end;
    }
    return joined(shown);
  }

  end(): Uint8Array {
    const line = this.#isInTraceback ? this.#line : NOTHING;
    this.#line = NOTHING;
    return joined([...this.#frames.splice(0), line]);
  }

  #addPiece(piece: Uint8Array): readonly Uint8Array[] {
    const isWhole = piece.at(-1) === NEW_LINE;
    const line = joined([this.#line, piece]);
    const text = withoutSequences(new TextDecoder().decode(line)).replace(HOST, "");
    this.#line = isWhole ? NOTHING : line;
    if (!this.#isInTraceback) {
      this.#isInTraceback = isWhole && text.trimEnd().endsWith(TRACEBACK);
      this.#line = this.#line.slice(-HEADING);
      return [piece];
    }
    const isIndented = /^ |^$/.test(text) && line.length < LONGEST_LINE;
    if (isIndented && !isWhole) return [];
    const file = FRAME.exec(text)?.[1];
    if (isIndented && file !== undefined && isLibrary(file) && this.#frames.length < MOST_FRAMES) {
      this.#frames.push(line);
      return [];
    }
    const last = this.#frames.at(-1);
    if (
      last && isIndented && /^ {4}|^ {2}\[Previous line/.test(text) && last.length < LONGEST_LINE
    ) {
      this.#frames[this.#frames.length - 1] = joined([last, line]);
      return [];
    }
    this.#isInTraceback = isIndented;
    return [...this.#fold(file !== undefined), line];
  }

  /** Takes the frames out. The last, which raised the error, is shown unless the code's own follow. */
  #fold(isFollowed: boolean): readonly Uint8Array[] {
    const frames = this.#frames.splice(0);
    const hidden = isFollowed ? frames : frames.slice(0, -1);
    if (hidden.length < 2) return frames;
    const texts = hidden.map((frame) => new TextDecoder().decode(frame.slice(0, LONGEST_LINE)));
    // Cython names files without their directories: `pandas/_libs/parsers.pyx`.
    const packages = texts.map((text) =>
      /(?:-packages\/|File ")([A-Za-z_]\w{0,99})/.exec(text)?.[1] ?? "Python"
    );
    const host = texts[0]!.split("  File", 1)[0]!;
    const names = listed([...new Set(packages)]);
    const words = `${host}  ... ${hidden.length} frames in ${names} (all in ${this.log})\n`;
    return [new TextEncoder().encode(words), ...frames.slice(hidden.length)];
  }
}
