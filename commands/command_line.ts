/**
 * What is read from a command line before Cliffy reads it.
 *
 * @module
 */

import { ValidationError } from "@cliffy/command";
import { UsageError } from "../runtime/errors.ts";

/**
 * The option that refuses colour. The streams have to know before there is a tree of commands, and
 * Cliffy would not let it stand beside `--help`.
 */
export const NO_COLOUR = "--no-color";

/**
 * The words of a command line that Cliffy is to read.
 *
 * @throws UsageError for words after `--`: Cliffy drops them, and the command would
 * run as if nobody had written them.
 * @throws ValidationError for an empty word or value: Cliffy 1.2 would take the default instead.
 */
export function commandWords(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const dropped = end < 0 ? undefined : args[end + 1];
  if (dropped !== undefined) {
    throw new UsageError(`Nothing may follow "--", but "${dropped}" does.`, {
      hint: 'Leave "--" out. A file whose name begins with a dash is written ./-name.',
    });
  }
  const empty = args.findIndex((word) => word === "" || EMPTY_VALUE.test(word));
  if (empty >= 0) throw emptyWord(args[empty] || args[empty - 1]);
  return args.filter((word) => word !== NO_COLOUR);
}

/** `--port=`, `-p=`; but not `--hyperparameter=key=`. */
const EMPTY_VALUE = /^-[^=]+=$/;

/** @param word the option with the value, or the word before an empty one. */
function emptyWord(word: string | undefined): ValidationError {
  return new ValidationError(
    word?.startsWith("-")
      ? `Missing value for option "${word.replace(/=$/, "")}".`
      : "An argument is empty.",
  );
}
