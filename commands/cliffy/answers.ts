/**
 * What mlcli says of itself.
 *
 * @module
 */

import type { Context } from "../../runtime/context.ts";
import { type Command, type Group, isGroup } from "../command.ts";
import { restArgumentOf } from "../options/option.ts";
import { type CommandLine, requireNoRest } from "./words.ts";

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
export async function printVersion(context: Context): Promise<void> {
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
 * @throws UsageError for words after `--`, where the command takes none.
 */
export async function answered(
  { words, rest }: CommandLine,
  root: Group,
  context: Context,
): Promise<boolean> {
  const last = words.at(-1) ?? "";
  if (words.length === 1 && VERSION.includes(last)) {
    requireNoRest(rest);
    await printVersion(context);
    return true;
  }
  const isAsked = HELP.includes(last);
  const names = isAsked ? words.slice(0, -1) : words;
  let declared: Command | Group = root;
  for (const name of names) {
    if (!isGroup(declared) || !Object.hasOwn(declared.commands, name)) return false;
    declared = await declared.commands[name]!.load();
  }
  if (!isAsked && !isGroup(declared)) return false;
  if (restArgumentOf(declared.options) === undefined) requireNoRest(rest);
  await printHelp(names, root, context);
  return true;
}
