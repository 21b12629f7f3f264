import { fileErrorHint, Interrupted, isSystemError, messageOf, MlcliError } from "../errors.ts";
import type { Level, Message } from "../messages.ts";

/** Result of a check. An error means that commands will fail. */
export interface Check extends Message<Level> {
  /** Subject of the check: `engine`, `disk`, `image`, ... (default: the name that `guarded` adds). */
  readonly name?: string;
}

/** Returns the message of a check that found no problem. */
export function ok(message: string, hint?: string): Check {
  return { level: "ok", message, hint };
}

/**
 * Runs a check. An error with a message for the user becomes a result.
 *
 * @param name name of results without a name.
 * @param level level of the result that an error becomes.
 * @throws other errors: a bug of mlcli, or Ctrl-C.
 */
export async function guarded(
  name: string,
  check: () => Promise<readonly Check[]>,
  level: Level = "error",
): Promise<readonly Check[]> {
  try {
    return (await check()).map((found) => ({ name, ...found }));
  } catch (error) {
    if (error instanceof MlcliError && error.cause instanceof Interrupted) throw error.cause;
    if (error instanceof MlcliError) {
      const quote = error.quote ? `\n${error.quote.trimEnd()}` : "";
      return [{ name, level, message: `${error.message}${quote}`, hint: error.hint }];
    }
    if (!isSystemError(error)) throw error;
    const message = messageOf(error).replace(/ \(os error \d+\)/, "");
    return [{ name, level, message, hint: fileErrorHint(error) }];
  }
}

/** Returns the checks without those that repeat a message. */
export function withoutRepeats(checks: readonly Check[]): readonly Check[] {
  const messages = checks.map(({ message }) => message);
  return checks.filter(({ message }, index) => messages.indexOf(message) === index);
}
