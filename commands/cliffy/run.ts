/**
 * Running a command line.
 *
 * @module
 */

import { ValidationError } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import type { Group } from "../command.ts";
import { wrongUse } from "../usage.ts";
import { treeFor } from "./tree.ts";
import { commandWords } from "./words.ts";

/**
 * Runs the command that the words name.
 *
 * @throws UsageError when the command line is wrong; and whatever the command throws.
 */
export async function runCommandLine(
  args: readonly string[],
  root: Group,
  context: Context,
): Promise<void> {
  const words = commandWords(args);
  const tree = await treeFor(words, root, context);
  try {
    await tree.parse(words);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw wrongUse(error.cmd?.getPath() ?? "mlcli", error.message);
  }
}
