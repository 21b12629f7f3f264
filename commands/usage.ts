import { UsageError } from "../runtime/errors.ts";

/** What takes a value that may be a secret: an error must not repeat it. */
const SECRETS = /^--(env|build-arg)(=|$)/;

/** Whether a secret may stand among the words of a command line. */
export function mayHoldSecret(words: readonly string[]): boolean {
  return words.some((word) => SECRETS.test(word));
}

/**
 * An error whose hint is the command's help.
 *
 * @param path the names that lead to the command: `mlcli local train`.
 * @param takesRest whether it takes what follows `--`, which somebody may have left out.
 */
export function wrongUse(path: string, message: string, takesRest = false): UsageError {
  const more = takesRest ? " Arguments of your code come after --." : "";
  return new UsageError(message, { hint: `See ${path} --help.${more}` });
}

/**
 * Requires that no two options were given that contradict each other.
 *
 * @param path the names that lead to the command.
 * @param apart which of them do.
 * @param given whether each of them was.
 * @throws UsageError
 */
export function requireCompatible<Flag extends string>(
  path: string,
  apart: readonly (readonly [Flag, Flag])[],
  given: Readonly<Record<Flag, boolean>>,
): void {
  const pair = apart.find(([one, other]) => given[one] && given[other]);
  if (pair === undefined) return;
  throw wrongUse(path, `Options "${pair[0]}" and "${pair[1]}" do not go together.`);
}
