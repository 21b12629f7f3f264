/**
 * What a command shows while it follows a job.
 *
 * @module
 */

import type { JobReport } from "../../runtime/cloud/jobs/report.ts";
import type { Context } from "../../runtime/context.ts";
import { ProgressLine } from "../render/progress.ts";

/** Shows a job on this context's streams. */
export class ShownJob implements JobReport, Disposable {
  readonly #line: ProgressLine;

  /** @param log where the log goes: standard output only where it is the command's result. */
  constructor(private readonly context: Context, private readonly logTo: "out" | "err" = "err") {
    this.#line = new ProgressLine(context.err);
  }

  note(text: string): void {
    this.#line.clear();
    this.context.err.print(`${text}\n`);
  }

  progress(text: string): void {
    this.#line.show(text);
  }

  async log(text: string): Promise<void> {
    this.#line.clear();
    await this.context[this.logTo].write(new TextEncoder().encode(text));
  }

  result(text: string): void {
    this.#line.clear();
    this.context.out.print(`${text}\n`);
  }

  [Symbol.dispose](): void {
    this.#line[Symbol.dispose]();
  }
}
