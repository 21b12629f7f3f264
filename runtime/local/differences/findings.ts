/**
 * What of a run would be different on the platform: warnings while it goes on, or, under `--strict`,
 * what makes it fail at its end.
 */

import type { Difference } from "../../contract/differences.ts";
import { MlcliError } from "../../errors.ts";
import { type MessageStream, tell, warningText } from "../../messages.ts";
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

export class Findings {
  readonly #violations: Difference[] = [];

  constructor(private readonly isStrict: boolean, private readonly err: MessageStream) {}

  /** Warns of them at once, or keeps them for the end. */
  add(differences: readonly (Difference | undefined)[]): void {
    for (const difference of differences) {
      if (difference === undefined) continue;
      if (this.isStrict) this.#violations.push(difference);
      else this.#warn(difference);
    }
  }

  get hasViolations(): boolean {
    return this.#violations.length > 0;
  }

  /** What to do where older code than the app's failed, whose words mislead; else `undefined`. */
  get hintOfOlderCode(): string | undefined {
    const older = this.#violations.find(({ isOfOlderCode }) => isOfOlderCode);
    return older && `The image's code failed, and it is older than what lies here. ${older.hint}`;
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
        quote: this.#violations.map(({ message, hint }) => printable(`${message}\nhint: ${hint}`))
          .join("\n"),
      },
    );
  }

  #warn({ message, hint }: Difference): void {
    tell(this.err, warningText(message, hint));
  }
}
