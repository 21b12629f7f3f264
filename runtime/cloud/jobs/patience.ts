/**
 * Asking a service that may not answer for a while: the network is away, or there are too many
 * requests. Whoever waits for hours is told once, and goes on waiting.
 *
 * @module
 */

import { type AwsError, isPassing } from "../../aws/errors.ts";

/** Tells what stands in the way, once. */
export class Patience {
  readonly #note: (text: string) => void;
  /** What does not answer now. */
  readonly #away = new Set<string>();
  #isThrottled = false;

  /**
   * @param note tells the user.
   * @param what goes on meanwhile.
   */
  constructor(note: (text: string) => void, private readonly what = "job") {
    this.#note = note;
  }

  /**
   * Asks once.
   * @param what is asked; one that does not answer is told of, until it does.
   * @returns `undefined` where there is no answer at the moment.
   * @throws whatever will not pass.
   */
  async ask<Answer>(
    what: string,
    question: () => Promise<Answer>,
  ): Promise<{ readonly answer: Answer } | undefined> {
    try {
      const answer = await question();
      if (this.#away.delete(what) && this.#away.size === 0) {
        this.#note("The platform answers again.");
      }
      return { answer };
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#tell(what, error);
      return undefined;
    }
  }

  #tell(what: string, { refusal, message, quote }: AwsError): void {
    const reason = quote ? ` (${quote})` : "";
    const line = `${message}${reason}. The ${this.what} goes on; mlcli keeps asking.`;
    if (refusal === "throttled") {
      if (!this.#isThrottled) this.#note(line);
      this.#isThrottled = true;
      return;
    }
    if (this.#away.size === 0) this.#note(line);
    this.#away.add(what);
  }
}
