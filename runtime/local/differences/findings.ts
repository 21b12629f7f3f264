/** Differences of a run from SageMaker: warnings during the run or, with `--strict`, errors at its end. */

import { MlcliError } from "../../errors.ts";
import { type Message, type Messages, warning } from "../../messages.ts";
import { counted } from "../../quantities.ts";
import { printable } from "../../text.ts";

/** A difference from SageMaker that a build might remove. */
export interface BuildMessage extends Message {
  /** Set if a build helps: the app's code differs from the code that runs, or only the rest of its image. */
  readonly needsBuild?: "code" | "image";
}

export class Findings {
  readonly #violations: Message[] = [];
  /** Several hosts might find the same difference. */
  readonly #messages = new Set<string>();
  /** The build and the run after it, if the app's files differ from the image's. */
  remedy: string | undefined;
  /** The remedy, if other code than the app's runs: its error might be of code that has changed. */
  remedyOfOtherCode: string | undefined;

  /** @param again command line that reruns the code, for hints at the end. */
  constructor(
    private readonly isStrict: boolean,
    private readonly messages: Messages,
    private readonly again?: string,
  ) {}

  /** Warns of them at once, or keeps them for the end. */
  add(differences: readonly (BuildMessage | undefined)[]): void {
    for (const difference of differences) {
      if (difference === undefined || this.#messages.has(difference.message)) continue;
      this.#messages.add(difference.message);
      const { message, hint, needsBuild } = difference;
      const isForTheEnd = needsBuild !== undefined && this.again !== undefined;
      if (needsBuild) this.remedy = isForTheEnd ? `${hint} && ${this.again}` : hint;
      if (needsBuild === "code") this.remedyOfOtherCode = this.remedy;
      const shown = warning(message, isForTheEnd ? undefined : hint);
      if (this.isStrict) this.#violations.push(shown);
      else this.messages.tell([shown]);
    }
  }

  get hasViolations(): boolean {
    return this.#violations.length > 0;
  }

  /** Prints the differences if the run ends for another reason. */
  warnOfAll(): void {
    this.messages.tell(this.#violations);
  }

  /**
   * Ends a run that has no other error.
   *
   * @throws MlcliError if there are differences and `--strict`.
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
}
