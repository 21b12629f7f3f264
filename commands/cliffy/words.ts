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

/**
 * The words of a command line that Cliffy is to read.
 *
 * @throws UsageError for words after `--`, which Cliffy drops: the command would run as if nobody
 * had written them. For an empty word or value: Cliffy 1.2 would take the default instead.
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
function emptyWord(word: string | undefined): UsageError {
  return wrongUse(
    "mlcli",
    word?.startsWith("-")
      ? `Missing value for option "${word.replace(/=$/, "")}".`
      : "An argument is empty.",
  );
}
