/**
 * What of a run would be different on the platform: warnings while it goes on, or, under `--strict`,
 * what makes it fail at its end.
 */

import type { Difference } from "../../contract/differences.ts";
import { MlcliError } from "../../errors.ts";
import { hintText, type MessageStream, tell, warningText } from "../../messages.ts";
import { printable } from "../../text.ts";

/** Prints where somebody reads. Where nobody does, how a run ended still matters. */
export function ignoringFailures(err: MessageStream): MessageStream {
  return {
    isTerminal: err.isTerminal,
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

export class Findings {
  readonly #violations: Difference[] = [];
  #older: Difference | undefined;

  /** @param again what runs the code once more: that and the build before it are the last that is said. */
  constructor(
    private readonly isStrict: boolean,
    private readonly err: MessageStream,
    private readonly again?: string,
  ) {}

  /** Warns of them at once, or keeps them for the end. */
  add(differences: readonly (Difference | undefined)[]): void {
    for (const difference of differences) {
      if (difference === undefined) continue;
      if (difference.older) this.#older = difference;
      if (this.isStrict) this.#violations.push(difference);
      else this.#warn(difference);
    }
  }

  get hasViolations(): boolean {
    return this.#violations.length > 0;
  }

  /** The build, where the image is older than what it is made of, and the run after it. */
  get remedy(): string | undefined {
    return this.#older && [this.#older.hint, this.again].filter((line) => line).join(" && ");
  }

  /** The same, where older code than the app's ran, whose words mislead if it failed. */
  get remedyOfOlderCode(): string | undefined {
    return this.#older?.older === "code" ? this.remedy : undefined;
  }

  /** Says it as the last of a run that went well. */
  sayRemedy(): void {
    if (this.remedy !== undefined && this.again) tell(this.err, hintText(this.remedy));
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
    const count = this.#violations.length;
    throw new MlcliError(
      `${count === 1 ? "1 thing is" : `${count} things are`} not as on the platform (--strict)`,
      {
        quote: this.#violations.map((violation) =>
          printable(
            `${violation.message}${
              this.#isForTheEnd(violation) ? "" : `\nhint: ${violation.hint}`
            }`,
          )
        ).join("\n"),
        hint: this.again && this.remedy,
      },
    );
  }

  #warn(difference: Difference): void {
    const { message, hint } = difference;
    tell(this.err, warningText(message, this.#isForTheEnd(difference) ? undefined : hint));
  }

  #isForTheEnd({ older }: Difference): boolean {
    return older !== undefined && this.again !== undefined;
  }
}
