/**
 * Running a command line.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import type { Group } from "../command.ts";
import { answered, isQuestion } from "./answers.ts";
import { commandLine } from "./words.ts";

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
  const line = commandLine(args);
  // Begun before anything is waited for: the compiled code of what a binary asks for until then is
  // kept for its next run.
  const reader = isQuestion(line.words) ? undefined : import("./tree.ts");
  if (await answered(line, root, context)) return;
  const { parse } = await (reader ?? import("./tree.ts"));
  await parse(line, root, context);
}
