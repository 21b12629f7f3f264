/** The stream on which progress is shown, in the style that the stream and the user choose. */

import { fit } from "../../../runtime/cells.ts";
import { noteText, tell, warningText } from "../../../runtime/messages.ts";
import { type Output, overlaid } from "../../../runtime/streams.ts";
import { printable } from "../../../runtime/text.ts";
import { elapsedText } from "../../../runtime/quantities.ts";
import { Area, type AreaLine, Live } from "./area.ts";

/** The values of `progressOptions`. */
export interface ProgressChoice {
  readonly quiet: boolean;
  readonly progress: "auto" | "plain";
}

/**
 * `live`: lines that change in their place. `plain`: lines one below the other. `none`: nothing but
 * warnings and errors.
 */
type ProgressStyle = "live" | "plain" | "none";

function styleOf(err: Output, { quiet, progress }: ProgressChoice): ProgressStyle {
  if (quiet) return "none";
  return progress === "auto" && err.rows > 0 ? "live" : "plain";
}

/** Work that takes less (ms) is done before anybody wonders. */
const SHOWN_AFTER = 500;

export class ProgressOutput implements Disposable {
  readonly style: ProgressStyle;
  readonly #area: Area;
  #live: Live | undefined;

  constructor(private readonly err: Output, choice: ProgressChoice) {
    this.style = styleOf(err, choice);
    this.#area = new Area(err);
  }

  /** How wide lines of the area may be. The last column stays free: some terminals wrap after it. */
  get columns(): number {
    return this.err.columns - 1;
  }

  /** How many lines the area may have. */
  get rows(): number {
    return Math.max(1, this.err.rows - 1);
  }

  /** In the live style, shows this from now on. */
  live(frame: () => readonly AreaLine[]): void {
    this.#live?.[Symbol.dispose]();
    if (this.style === "live") this.#live = new Live(this.#area, frame);
  }

  /** Waits for `work`; in the live style, shows the text and the time if that takes noticeably long. */
  async during<T>(text: () => string, work: Promise<T>): Promise<T> {
    const start = performance.now();
    this.live(() => {
      const elapsed = performance.now() - start;
      if (elapsed < SHOWN_AFTER) return [];
      return [{ text: fit(`${text()} (${elapsedText(elapsed)})`, this.columns) }];
    });
    try {
      return await work;
    } finally {
      this.end();
    }
  }

  /** `live` has something else to show. */
  changed(): void {
    this.#live?.changed();
  }

  /** A line that stays, unless --quiet. */
  say(line: string): void {
    const text = printable(`${line}\n`);
    if (this.style === "live") this.#tell(text);
    if (this.style === "plain") this.#print(text);
  }

  /** A line in the plain style alone. */
  plain(line: string): void {
    if (this.style === "plain") this.say(line);
  }

  note(text: string): void {
    if (this.style !== "none") this.#tell(noteText(text));
  }

  /** Printed in every style. */
  warning(message: string, hint?: string): void {
    this.#tell(warningText(message, hint));
  }

  /** Lines that belong to an error: printed in every style. */
  always(lines: readonly string[]): void {
    this.#print(lines.map((line) => printable(`${line}\n`)).join(""));
  }

  /** The stream for what others print: it stands above what is live, and with --quiet has no notes. */
  above(): Output {
    const above = this.#area.above();
    return this.style !== "none" ? above : overlaid(above, {
      print: (text) => text.startsWith("note: ") ? undefined : above.print(text),
    });
  }

  end(): void {
    this.#live?.[Symbol.dispose]();
    this.#live = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #tell(text: string): void {
    tell(this.#area.above(), text);
  }

  #print(text: string): void {
    this.#area.above().print(text);
  }
}
