import { UsageError } from "../runtime/errors.ts";

/** Options whose values may be secrets: errors must not repeat them. */
const SECRETS = /^--(env|build-arg)(=|$)/;

/** Whether one of a command line's words may be a secret. */
export function mayHoldSecret(words: readonly string[]): boolean {
  return words.some((word) => SECRETS.test(word));
}

/**
 * An error whose hint is the command's help.
 *
 * @param path the names that lead to the command: `mlcli local train`.
 * @param takesRest whether it takes arguments after `--`, which the user may have left out.
 */
export function usageError(path: string, message: string, takesRest = false): UsageError {
  const more = takesRest ? ". Put arguments of your code after --." : "";
  return new UsageError(message, { hint: `See ${path} --help${more}` });
}
