/**
 * Running a command line.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { NoAppHere } from "../../runtime/errors.ts";
import type { Group } from "../command.ts";
import { answered, isQuestion } from "./answers.ts";
import { askedFor } from "./asked.ts";
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
  // Nobody hears of its failure where the command line is wrong.
  reader?.catch(() => {});
  const asked = await askedFor(line, root);
  if (await answered(asked, root, context)) return;
  const { run } = await (reader ?? import("./tree.ts"));
  const there = line.directory === undefined ? context : await elsewhere(context, line.directory);
  try {
    await run(asked, root, there);
  } catch (error) {
    if (!(error instanceof NoAppHere)) throw error;
    const { withCommandAbove } = await import("../directory.ts");
    throw withCommandAbove(error, line, context.cwd);
  }
}

async function elsewhere(context: Context, directory: string): Promise<Context> {
  const { inDirectory } = await import("../directory.ts");
  return await inDirectory(context, directory);
}
