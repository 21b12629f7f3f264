/**
 * Running a command line.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import type { Group } from "../command.ts";
import { answered } from "./answers.ts";
import { commandWords } from "./words.ts";

/**
 * Runs the command that a command line names.
 *
 * @throws UsageError when the command line is wrong; and whatever the command throws.
 */
export async function runCommandLine(
  args: readonly string[],
  root: Group,
  context: Context,
): Promise<void> {
  const words = commandWords(args);
  if (await answered(words, root, context)) return;
  const { parse } = await import("./tree.ts");
  await parse(words, root, context);
}
