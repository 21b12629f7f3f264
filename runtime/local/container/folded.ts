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

/** How much of a line is remembered to find the heading, in bytes: a progress bar can precede it. */
const HEADING = 256;

export class FoldedFrames {
  /** Shows what is written to it on the terminal, folded. A stream that is not a terminal does not change. */
  readonly output: Output;
  /** The line that has no end yet; outside of a traceback, the end of what was shown of it. */
  #line = NOTHING;
  #isInTraceback = false;
  /** Frames of packages, one after the other, that are not shown yet. */
  #frames: Uint8Array[] = [];

  /** @param log where all frames are, as the user types it. */
  constructor(output: Output, private readonly log: string) {
    const write = async (bytes: Uint8Array): Promise<void> => {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        const end = bytes.indexOf(NEW_LINE, at) + 1 || bytes.length;
        pieces.push(...this.#shown(bytes.subarray(at, end)));
        at = end;
      }
      if (pieces.length > 0) await output.write(joined(pieces));
    };
    this.output = output.isTerminal ? overlaid(output, { write }) : output;
    this.end = async () => {
      const rest = joined([...this.#frames.splice(0), this.#isInTraceback ? this.#line : NOTHING]);
      if (rest.length > 0) await output.write(rest);
    };
  }

  /** Writes what is not shown yet. */
  readonly end: () => Promise<void>;

  /** Takes a line or a piece of one, and returns what to show. */
  #shown(piece: Uint8Array): readonly Uint8Array[] {
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
    const last = this.#frames.at(-1);
    if (isIndented && file !== undefined && isLibrary(file) && this.#frames.length < MOST_FRAMES) {
      this.#frames.push(line);
    } else if (
      last && last.length < LONGEST_LINE && isIndented && /^ {4}|^ {2}\[Previous line/.test(text)
    ) {
      this.#frames[this.#frames.length - 1] = joined([last, line]);
    } else {
      this.#isInTraceback = isIndented || text.trimEnd().endsWith(TRACEBACK);
      return [...this.#folded(file !== undefined), line];
    }
    return [];
  }

  /** Takes the frames out. The last, which raised the error, is shown unless the code's own follow. */
  #folded(isFollowed: boolean): readonly Uint8Array[] {
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
    const words = `${host}  ... ${hidden.length} frames in ${names} (see ${this.log})\n`;
    return [new TextEncoder().encode(words), ...frames.slice(hidden.length)];
  }
}
