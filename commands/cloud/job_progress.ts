import type { JobReport } from "../../runtime/cloud/jobs/follow.ts";
import type { Context } from "../../runtime/context.ts";
import { inOneLine, printable } from "../../runtime/text.ts";
import { durationText } from "../render/format.ts";
import { ProgressLine } from "../render/progress/line.ts";

/** Between two updates of the running time, in ms. */
const TICK = 1_000;

/** Shows a job on this context's streams. */
export class JobProgress implements JobReport, Disposable {
  readonly #line: ProgressLine;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param logTo standard output only where the log is the command's result. */
  constructor(private readonly context: Context, private readonly logTo: "out" | "err" = "err") {
    this.#line = new ProgressLine(context.err);
  }

  note(text: string): void {
    this.#clear();
    this.context.err.print(`${printable(text)}\n`);
  }

  progress(text: string, running = 0): void {
    this.#clear();
    const { err, clock } = this.context;
    if (!err.isTerminal) return;
    const start = clock.now() - running;
    const show = (): void =>
      this.#line.show(`${inOneLine(text)} (${durationText(clock.now() - start)})`);
    show();
    this.#timer = setInterval(show, TICK);
  }

  async log(text: string): Promise<void> {
    this.#clear();
    await this.context[this.logTo].write(new TextEncoder().encode(text));
  }

  result(text: string): void {
    this.#clear();
    this.context.out.print(`${printable(text)}\n`);
  }

  [Symbol.dispose](): void {
    this.#clear();
  }

  #clear(): void {
    clearInterval(this.#timer);
    this.#line.clear();
  }
}
