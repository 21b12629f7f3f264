/**
 * Shows a build: on a terminal the steps that run, until it is done; in a pipe line by line. If it
 * fails, the output of the failed step.
 */

import type { BuildReport } from "../../../runtime/image/build.ts";
import { enumerated, inOneLine } from "../../../runtime/text.ts";
import { clockText, counted } from "../../../runtime/quantities.ts";
import { buildFrame } from "./build_frame.ts";
import { failedSteps, plainLines, Steps } from "./build_steps.ts";
import type { ProgressOutput } from "./output.ts";

/** Disposed of before `done`, it shows what failed. */
export class BuildProgress implements BuildReport, Disposable {
  readonly #start: number;
  readonly #steps: Steps;
  #isDone = false;

  /**
   * @param reference `name:tag`
   * @param now milliseconds on a clock that only goes forward.
   */
  constructor(
    private readonly shown: ProgressOutput,
    private readonly reference: string,
    private readonly now: () => number,
  ) {
    this.#start = now();
    this.#steps = new Steps(now);
    const title = `Building ${reference}`;
    shown.live(() =>
      buildFrame(
        { title, steps: this.#steps.all, start: this.#start, now: now() },
        shown,
      )
    );
  }

  readonly onEvent: BuildReport["onEvent"] = (event) => {
    if (event.kind === "warning") return this.shown.warning(event.text);
    const lines = plainLines(event, this.#steps);
    for (const line of lines) this.shown.plain(line);
    this.shown.changed();
  };

  readonly onLeftOut: BuildReport["onLeftOut"] = (paths) => {
    const note = leftOutNote(paths);
    if (note !== undefined) this.shown.say(note);
  };

  readonly onWarning: BuildReport["onWarning"] = ({ message, hint }) => {
    this.shown.warning(message, hint);
  };

  readonly onNote: BuildReport["onNote"] = (note) => this.shown.note(note);

  readonly onNetwork: BuildReport["onNetwork"] = ({ warnings, secret }) => {
    for (const { message, hint } of warnings) this.shown.warning(message, hint);
    if (secret.length === 0) return;
    this.shown.note(
      `Build steps can mount the credentials in ${enumerated(secret)}, but the image does not ` +
        "store them (to withhold them: --no-network-settings)",
    );
  };

  done(): void {
    this.#isDone = true;
    this.shown.end();
    const steps = this.#steps.all;
    const cached = steps.filter(({ state }) => state === "cached").length;
    const of = cached === 0 ? "" : ` (${cached} of ${counted(steps.length, "step")} cached)`;
    const took = clockText(this.now() - this.#start);
    this.shown.say(`Built ${this.reference} in ${took}${of}`);
  }

  [Symbol.dispose](): void {
    this.shown.end();
    // In the plain style it has been printed already.
    if (this.#isDone || this.shown.style === "plain") return;
    for (const { name, log } of failedSteps(this.#steps.all)) {
      this.shown.always([name, ...log.whole()]);
    }
  }
}

/** How many files `leftOutNote` names. */
const NAMED = 5;

/** The note about files that stayed out of the image; `undefined` if none did. */
function leftOutNote(paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  const names = paths.slice(0, NAMED).map(inOneLine).join(", ");
  const more = paths.length > NAMED ? `, and ${paths.length - NAMED} more` : "";
  return `Excluded from the image as private: ${names}${more}. ` +
    "To include a file, add !PATH to .dockerignore.";
}
