/**
 * What of a run would be different on SageMaker: warnings while it goes on, or, under `--strict`,
 * what makes it fail at its end.
 */

import type { Difference } from "../../contract/differences.ts";
import { MlcliError } from "../../errors.ts";
import { type MessageStream, tell, warningText } from "../../messages.ts";
import { counted } from "../../quantities.ts";
import { printable } from "../../text.ts";

/** Prints where somebody reads. Where nobody does, how a run ended still matters. */
export function ignoringFailures(err: MessageStream): MessageStream {
  return {
    isTerminal: err.isTerminal,
    colour: err.colour,
    get columns() {
      return err.columns;
    },
    print(text) {
      try {
        err.print(text);
      } catch {
        // There is nowhere to say it.
      }
    },
  };
}

/** The hint of what a build helps is said at the end alone. */
type Said = Pick<Difference, "message"> & Partial<Pick<Difference, "hint">>;

export class Findings {
  readonly #violations: Said[] = [];
  /** Several hosts may find the same. */
  readonly #messages = new Set<string>();
  /** The build and the run after it, if the app's files differ from the image's. */
  remedy: string | undefined;
  /** The remedy, if other code than the app's runs: its error might be of code that has changed. */
  remedyOfOtherCode: string | undefined;

  /** @param again the command line that runs the code once more, for who says the remedy at the end. */
  constructor(
    private readonly isStrict: boolean,
    private readonly err: MessageStream,
    private readonly again?: string,
  ) {}

  /** Warns of them at once, or keeps them for the end. */
  add(differences: readonly (Difference | undefined)[]): void {
    for (const difference of differences) {
      if (difference === undefined || this.#messages.has(difference.message)) continue;
      this.#messages.add(difference.message);
      const { message, hint, needsBuild } = difference;
      const isForTheEnd = needsBuild !== undefined && this.again !== undefined;
      if (needsBuild) this.remedy = isForTheEnd ? `${hint} && ${this.again}` : hint;
      if (needsBuild === "code") this.remedyOfOtherCode = this.remedy;
      const said = isForTheEnd ? { message } : { message, hint };
      if (this.isStrict) this.#violations.push(said);
      else this.#warn(said);
    }
  }

  get hasViolations(): boolean {
    return this.#violations.length > 0;
  }

  /** Says them where something else is the reason for the end. */
  warnOfAll(): void {
    for (const violation of this.#violations) this.#warn(violation);
  }

  /**
   * Ends a run that has nothing else against it.
   *
   * @throws MlcliError when there are violations.
   */
  requireNone(): void {
    if (!this.hasViolations) return;
    throw new MlcliError(
      `--strict found ${counted(this.#violations.length, "difference")} from SageMaker`,
      {
        quote: this.#violations.map(({ message, hint }) =>
          printable(hint === undefined ? message : `${message}\nhint: ${hint}`)
        ).join("\n"),
        hint: this.again && this.remedy,
      },
    );
  }

  #warn({ message, hint }: Said): void {
    tell(this.err, warningText(message, hint));
  }
}
