/**
 * What is read from a command line before Cliffy reads it.
 *
 * @module
 */

import { MlcliError } from "../runtime/errors.ts";

/**
 * The option that refuses colour. The streams have to know before there is a tree of commands, and
 * Cliffy would let it stand neither beside `--help` nor before `completions`.
 */
export const NO_COLOUR = "--no-color";

/**
 * The words of a command line that Cliffy is to read.
 *
 * @throws MlcliError of kind `usage` for words after `--`: Cliffy drops them, and the command would
 * run as if nobody had written them.
 */
export function commandWords(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const dropped = end < 0 ? undefined : args[end + 1];
  if (dropped !== undefined) {
    throw new MlcliError("usage", `Nothing may follow "--", but "${dropped}" does.`, {
      hint: 'Leave "--" out. A file whose name begins with a dash is written ./-name.',
    });
  }
  return args.filter((word) => word !== NO_COLOUR);
}
