import { fit } from "../../runtime/cells.ts";
import type { Described, JobReport } from "../../runtime/cloud/jobs/follow.ts";
import type { Context } from "../../runtime/context.ts";
import { withHostColours } from "../../runtime/host_colours.ts";
import { inOneLine, printable, printableJson } from "../../runtime/text.ts";
import { durationText } from "../../runtime/quantities.ts";
import { type ProgressChoice, ProgressOutput } from "../render/progress/output.ts";
import { describedJson } from "./descriptions.ts";

/** Shows a job on this context's streams. */
export class JobProgress implements JobReport, Disposable {
  readonly #shown: ProgressOutput;

  /** @param logTo standard output only where the log is the command's result. */
  constructor(
    private readonly context: Context,
    private readonly choice: ProgressChoice & { readonly output?: "text" | "json" },
    private readonly logTo: "out" | "err" = "err",
  ) {
    this.#shown = new ProgressOutput(context.err, choice);
  }

  get isQuiet(): boolean {
    return this.choice.quiet;
  }

  warning(message: string, hint?: string): void {
    this.#shown.warning(message, hint);
  }

  note(text: string): void {
    this.#shown.end();
    this.#shown.say(text);
  }

  always(text: string): void {
    this.#shown.end();
    this.#shown.always([text]);
  }

  progress(text: string, running = 0): void {
    const { clock } = this.context;
    const start = clock.now() - running;
    this.#shown.live(() => {
      const words = `${inOneLine(text)} (${durationText(clock.now() - start)})`;
      return [{ text: fit(words, this.#shown.columns) }];
    });
    this.#shown.changed();
  }

  async log(text: string): Promise<void> {
    this.#shown.end();
    if (this.logTo === "err" && this.choice.quiet) return;
    const output = this.context[this.logTo];
    await output.write(new TextEncoder().encode(output.colour ? withHostColours(text) : text));
  }

  async result(
    lines: readonly string[],
    described: () => Described | Promise<Described>,
  ): Promise<void> {
    if (this.choice.output !== "json") return this.#print(lines);
    this.#print([printableJson(describedJson(await described(), this.context.clock.date()), 2)]);
  }

  calls(calls: readonly unknown[]): void {
    this.#print([printableJson(calls, 2)]);
  }

  [Symbol.dispose](): void {
    this.#shown.end();
  }

  #print(lines: readonly string[]): void {
    this.#shown.end();
    if (lines.length > 0) {
      this.context.out.print(lines.map((line) => printable(`${line}\n`)).join(""));
    }
  }
}
