/**
 * What mlcli says of itself.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import type { Group } from "../command.ts";
import type { Asked } from "./asked.ts";

/**
 * Prints the help of a command.
 *
 * @param names those that lead to it, without `mlcli`: `["local", "train"]`.
 */
export async function printHelp(
  names: readonly string[],
  root: Group,
  context: Context,
): Promise<void> {
  const { topicOf } = await import("../topic.ts");
  const { helpText } = await import("../render/help.ts");
  context.out.print(helpText(await topicOf(root, names), context.out));
}

/** Prints the version. */
async function printVersion(context: Context): Promise<void> {
  const { versionText } = await import("../../runtime/version.ts");
  context.out.print(`${versionText()}\n`);
}

const VERSION = ["--version", "-V"];
const HELP = ["--help", "-h"];

/** Whether a command line ends in a question for help or the version. */
export function isQuestion(words: readonly string[]): boolean {
  const last = words.at(-1);
  return last === undefined || VERSION.includes(last) || HELP.includes(last);
}

/**
 * Answers a command line that asks for nothing but help or the version: that can be told without
 * Cliffy, which takes as long to load as all the rest.
 *
 * @returns whether it was one.
 */
export async function answered(
  { question, names }: Asked,
  root: Group,
  context: Context,
): Promise<boolean> {
  if (question === "help") await printHelp(names, root, context);
  if (question === "version") await printVersion(context);
  return question !== undefined;
}
