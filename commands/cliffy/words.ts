/**
 * What is read from a command line before Cliffy reads it.
 *
 * @module
 */

import { UsageError } from "../../runtime/errors.ts";
import type { everywhere } from "../options/standard.ts";
import { wrongUse } from "../usage.ts";

/**
 * The option that refuses colour. The streams have to know of it before there is a command, and
 * Cliffy would not let it stand beside `--help`.
 */
export const NO_COLOUR: keyof typeof everywhere = "--no-color";

/** The option that names another directory: everything is to be read as from there. */
export const DIRECTORY: keyof typeof everywhere = "--directory";

/** A command line in its parts. */
export interface CommandLine {
  /** The command, its options and its arguments. */
  readonly words: readonly string[];
  /** What follows `--`, as it is: Cliffy would drop it. */
  readonly rest: readonly string[];
  /** Where it is to run, as it was typed; `undefined`: where it was typed. */
  readonly directory: string | undefined;
}

/**
 * Takes a command line apart.
 *
 * @throws UsageError for an empty word or value before `--`: Cliffy 1.2 would take the default
 * instead; and for two directories, or none where one should be named.
 */
export function commandLine(args: readonly string[]): CommandLine {
  const [before, rest] = atDashes(args);
  const empty = before.findIndex((word) => word === "" || EMPTY_VALUE.test(word));
  if (empty >= 0) throw emptyWord(before[empty] || before[empty - 1]);
  return { ...withoutDirectory(before.filter((word) => word !== NO_COLOUR)), rest };
}

function withoutDirectory(all: readonly string[]): Pick<CommandLine, "words" | "directory"> {
  const words: string[] = [];
  const directories: string[] = [];
  for (let index = 0; index < all.length; index++) {
    const word = all[index]!;
    const attached = word.startsWith(`${DIRECTORY}=`);
    if (word !== DIRECTORY && !attached) {
      words.push(word);
      continue;
    }
    const directory = attached ? word.slice(DIRECTORY.length + 1) : all[++index];
    if (directory === undefined || !attached && directory.startsWith("--")) {
      throw wrongUse("mlcli", `Missing value for option "${DIRECTORY}".`);
    }
    directories.push(directory);
  }
  if (directories.length < 2) return { words, directory: directories[0] };
  throw wrongUse("mlcli", `Option "${DIRECTORY}" is given twice.`);
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
    hint: `${hint} If $(...) stands there, that command printed nothing: its error is above.`,
  });
}
