/**
 * A line below what a program writes to the terminal. It is there only while the program's last line
 * is complete, and goes before the next byte: so nothing of the program's is changed.
 *
 * @module
 */

import { fit } from "../../cells.ts";
import { type Output, overlaid } from "../../streams.ts";

const LINE_FEED = 10;

/** Shows a line on standard error, where that is a terminal. */
export class StatusLine {
  #text = "";
  #isShown = false;
  #atStart = true;

  constructor(private readonly streams: { readonly out: Output; readonly err: Output }) {}

  /** The same streams, for all that is to stand above the line. */
  get above(): { readonly out: Output; readonly err: Output } {
    return { out: this.#over(this.streams.out), err: this.#over(this.streams.err) };
  }

  /** From now on shows this text, cut to the terminal's width; an empty one shows nothing. */
  set(text: string): void {
    this.#text = text;
  }

  /** Takes the line away for good. */
  close(): void {
    this.#text = "";
    this.#hide();
  }

  #over(output: Output): Output {
    const wrote = (endsLine: boolean): void => {
      if (output.isTerminal) this.#atStart = endsLine;
      this.#show();
    };
    return overlaid(output, {
      write: async (bytes) => {
        this.#hide();
        await output.write(bytes);
        if (bytes.length > 0) wrote(bytes.at(-1) === LINE_FEED);
      },
      print: (text) => {
        this.#hide();
        output.print(text);
        if (text !== "") wrote(text.endsWith("\n"));
      },
    });
  }

  #show(): void {
    const { err } = this.streams;
    if (!err.isTerminal || this.#text === "" || !this.#atStart) return;
    // One column less: a line that fills its row may begin another one.
    err.print(fit(this.#text, err.columns - 1));
    this.#isShown = true;
  }

  #hide(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.streams.err.print("\r\x1b[K");
  }
}
