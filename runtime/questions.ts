/** Questions to the user of a terminal, a line each. */

import { createInterface } from "node:readline";
import { Interrupted } from "./errors.ts";
import type { Output } from "./streams.ts";

/** Asks on a terminal. Dispose of it, or the waiting for a line keeps Deno alive. */
export interface Questions extends Disposable {
  /**
   * Asks and returns the answer, or the default for an empty one.
   * @throws Interrupted when the user ends the question instead (Ctrl-C, Ctrl-D).
   */
  ask(question: string, defaultAnswer: string): Promise<string>;
}

/**
 * Prepares for questions. All are read by one reader, so that answers typed ahead count; the
 * terminal stays in its line mode, in which Ctrl-C is a signal (Deno's `prompt` has neither).
 *
 * @param signal aborted with an `Interrupted` when the user does not want to go on.
 */
export function openQuestions(
  input: NodeJS.ReadableStream,
  err: Output,
  signal: AbortSignal,
): Questions {
  const reader = createInterface({ input, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const interruption = Promise.withResolvers<never>();
  const interrupt = (): void => interruption.reject(signal.reason);
  interruption.promise.catch(() => {}); // nobody may be asking at that moment
  signal.addEventListener("abort", interrupt);
  return {
    async ask(question, defaultAnswer) {
      signal.throwIfAborted();
      err.print(defaultAnswer === "" ? `${question}: ` : `${question} [${defaultAnswer}]: `);
      const line = await Promise.race([lines.next(), interruption.promise]).catch((error) => {
        err.print("\n");
        throw error;
      });
      if (!line.done) return line.value.trim() || defaultAnswer;
      err.print("\n");
      throw new Interrupted("SIGINT");
    },
    [Symbol.dispose]() {
      signal.removeEventListener("abort", interrupt);
      reader.close();
    },
  };
}
