import type { App } from "../runtime/app/app.ts";
import type { Context } from "../runtime/context.ts";
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

/**
 * Requires that no two options were given that contradict each other.
 *
 * @param path the names that lead to the command.
 * @throws UsageError
 */
export function requireCompatible<Flag extends string>(
  path: string,
  contradictions: readonly (readonly [Flag, Flag])[],
  given: Readonly<Record<Flag, boolean>>,
): void {
  const pair = contradictions.find(([one, other]) => given[one] && given[other]);
  if (pair === undefined) return;
  throw usageError(path, `Options "${pair[0]}" and "${pair[1]}" cannot be used together`);
}

/** The first of these options that is given. */
export function firstGiven(values: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(values).find((flag) => values[flag] !== undefined);
}

/** @throws UsageError where a tag is typed of an image that the app names as a whole. */
export function requireNoTag(
  { configuration: { image } }: App,
  { dockerTag }: { readonly dockerTag: string },
  env: Context["env"],
): void {
  if (image === undefined || dockerTag === (env("MLCLI_DOCKER_TAG") || "latest")) return;
  throw new UsageError(`Option "--docker-tag" has no effect with the existing image ${image}`, {
    hint: "Write the tag into the name of the image, such as NAME:TAG",
  });
}
