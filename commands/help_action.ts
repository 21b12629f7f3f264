/**
 * What `mlcli help` does.
 *
 * @module
 */

import type { Context } from "../runtime/context.ts";
import { printHelp } from "./cliffy/answers.ts";
import { askedFor } from "./cliffy/asked.ts";
import type { Call } from "./command.ts";
import type { HelpOptions } from "./help.ts";

/** Prints what `COMMAND --help` prints. */
export async function helpAction(
  context: Context,
  { command }: HelpOptions,
  { root }: Call,
): Promise<void> {
  const { names } = await askedFor({ words: [...command, "--help"], rest: [] }, root);
  await printHelp(names, root, context);
}
