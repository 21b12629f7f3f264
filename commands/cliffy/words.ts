/**
 * What is read from a command line before Cliffy reads it.
 *
 * @module
 */

import { UsageError } from "../../runtime/errors.ts";
import type { noColour } from "../options/standard.ts";
import { wrongUse } from "../usage.ts";

/**
 * The option that refuses colour. The streams have to know of it before there is a command, and
 * Cliffy would not let it stand beside `--help`.
 */
export const NO_COLOUR: keyof typeof noColour = "--no-color";

/** A command line in two parts. */
export interface CommandLine {
  /** What Cliffy is to read. */
  readonly words: readonly string[];
  /** What follows `--`, as it is: Cliffy would drop it. */
  readonly rest: readonly string[];
}

/**
 * Takes a command line apart.
 *
 * @throws UsageError for an empty word or value before `--`: Cliffy 1.2 would take the default
 * instead.
 */
export function commandLine(args: readonly string[]): CommandLine {
  const [before, rest] = atDashes(args);
  const empty = before.findIndex((word) => word === "" || EMPTY_VALUE.test(word));
  if (empty >= 0) throw emptyWord(before[empty] || before[empty - 1]);
  return { words: before.filter((word) => word !== NO_COLOUR), rest };
}

/** Whether a command line refuses colour. */
export function refusesColour(args: readonly string[]): boolean {
  return atDashes(args)[0].includes(NO_COLOUR);
}

function atDashes(
  args: readonly string[],
): readonly [before: readonly string[], after: readonly string[]] {
  const dashes = args.indexOf("--");
  return dashes < 0 ? [args, []] : [args.slice(0, dashes), args.slice(dashes + 1)];
}

/**
 * Refuses what follows `--`, for a command that does not take it: it would run as if nobody had
 * written that.
 *
 * @throws UsageError
 */
export function requireNoRest([first]: readonly string[]): void {
  if (first === undefined) return;
  throw new UsageError(`Nothing may follow "--", but "${first}" does.`, {
    hint: 'Leave "--" out. A file whose name begins with a dash is written ./-name.',
  });
}

/** `--port=`, `-p=`; but not `--hyperparameter=key=`. */
const EMPTY_VALUE = /^-[^=]+=$/;

/** @param word the option with the value, or the word before an empty one. */
function emptyWord(word: string | undefined): UsageError {
  const { message, hint } = wrongUse(
    "mlcli",
    word?.startsWith("-")
      ? `Missing value for option "${word.replace(/=$/, "")}".`
      : "An argument is empty.",
  );
  return new UsageError(message, {
    hint: `${hint} What stands there as $(...) printed nothing: its error is above.`,
  });
}
