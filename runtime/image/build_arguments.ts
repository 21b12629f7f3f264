/** The arguments of a build, `ARG` in a Dockerfile. Messages name no value: it may be a secret. */

import { type Instruction, wordsOf } from "../app/dockerfile/instructions.ts";
import { UsageError } from "../errors.ts";

export interface BuildArgument {
  readonly name: string;
  /** `undefined`: that of the variable of this name, where mlcli runs. */
  readonly value: string | undefined;
}

/** The arguments that mlcli sets itself in a build of the app's directory, and how the user changes each. */
const SET_BY_MLCLI: Readonly<Record<string, string>> = {
  BASE_IMAGE: "Use another base image with --base-image",
  APP: "Choose another app with --app-name",
  REQUIREMENTS: 'Set "requirements" in the configuration file',
};

/**
 * `NAME=VALUE`, or `NAME` for the value that the variable has where mlcli runs, on a command line.
 *
 * @throws UsageError when it is neither.
 */
export function buildArgument(text: string, source: string): BuildArgument {
  const end = text.indexOf("=");
  const name = end < 0 ? text : text.slice(0, end);
  if (name === "" || /\s/.test(name)) {
    const form = "NAME=VALUE, or NAME alone to copy the value from your shell";
    throw new UsageError(`${source} must be ${form}`);
  }
  return { name, value: end < 0 ? undefined : text.slice(end + 1) };
}

/** @throws UsageError where one of the arguments is mlcli's own. */
export function requireNotOwn(given: readonly BuildArgument[]): void {
  for (const { name } of given) {
    const hint = Object.hasOwn(SET_BY_MLCLI, name) ? SET_BY_MLCLI[name] : undefined;
    if (hint === undefined) continue;
    throw new UsageError(`Option "--build-arg" cannot set ${name}: mlcli sets it`, { hint });
  }
}

/**
 * The arguments by their names; later ones win. One without a value takes that of mlcli's variable of
 * its name; without such a variable the Dockerfile's default counts, as with `docker build`.
 */
export function valuesOfArguments(
  given: readonly BuildArgument[],
  env: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.flatMap(({ name, value = env(name) }) => value === undefined ? [] : [[name, value]]),
  );
}

/**
 * The arguments that a build takes though no Dockerfile declares them.
 *
 * Source: the Dockerfile reference, "Predefined ARGs", "BuildKit built-in build args" and "Automatic
 * platform ARGs".
 */
const PREDEFINED =
  /^((https?|ftp|no|all)_proxy|BUILDKIT_.*|SOURCE_DATE_EPOCH|(TARGET|BUILD)(PLATFORM|OS|ARCH|VARIANT))$/i;

/** The names of arguments that no `ARG` of the Dockerfile declares. */
export function unusedArguments(
  given: readonly BuildArgument[],
  instructions: readonly Instruction[],
): readonly string[] {
  const declared = new Set(
    instructions.filter(({ name }) => name === "ARG").flatMap(wordsOf)
      .map((word) => word.split("=", 1)[0]!),
  );
  const names = new Set(given.map(({ name }) => name));
  return [...names].filter((name) => !declared.has(name) && !PREDEFINED.test(name));
}
