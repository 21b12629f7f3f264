/** Facts about a command for the help, the reference and the manual pages. */

import { type Command, type Example, type Group, isGroup, type Member } from "./command.ts";
import {
  argumentsOf,
  type NamedArgument,
  type NamedOption,
  optionsOf,
  restArgumentOf,
} from "./options/option.ts";
import { help, version } from "./options/standard.ts";

export interface Topic {
  /** Names of the command: `mlcli local train`. */
  readonly path: string;
  readonly description: string;
  readonly arguments: readonly NamedArgument[];
  /** The argument for words after `--`. */
  readonly rest: NamedArgument | undefined;
  /** In the order of declaration; the options of every command come last. */
  readonly options: readonly NamedOption[];
  readonly examples: readonly Example[];
  /** Last paragraph of the help. */
  readonly more: string;
  /** Members of a group, except hidden ones; `undefined` for a command. */
  readonly members: readonly (readonly [name: string, member: Member])[] | undefined;
}

/**
 * Returns the facts about a command or a group.
 *
 * @param names of the command, without `mlcli`: `["local", "train"]`.
 */
export async function topicOf(root: Group, names: readonly string[]): Promise<Topic> {
  let declared: Command | Group = root;
  let description = root.details;
  for (const name of names) {
    const member: Member | undefined = isGroup(declared) ? declared.commands[name] : undefined;
    if (member === undefined) throw new Error(`No command: mlcli ${names.join(" ")}`);
    declared = (await member.load()).default;
    description = [member.summary, declared.details].filter((text) => text).join("\n\n");
  }
  return {
    path: ["mlcli", ...names].join(" "),
    description: description ?? "",
    arguments: argumentsOf(declared.options),
    rest: restArgumentOf(declared.options),
    options: optionsOf({
      ...declared.options,
      ...help,
      ...(declared === root ? version : {}),
      ...root.options,
    }),
    examples: declared.examples ?? [],
    more: isGroup(declared) ? declared.more ?? "" : "",
    members: isGroup(declared)
      ? Object.entries(declared.commands).filter(([, member]) => !member.isHidden)
      : undefined,
  };
}

/**
 * Returns the topics of a group and of all groups and commands in it, each under its shortest name: no
 * `mlcli cloud` and no `mlcli cloud train`.
 *
 * @param names of the group, without `mlcli`.
 */
export async function topicsBelow(
  root: Group,
  names: readonly string[] = [],
): Promise<readonly Topic[]> {
  const topic = await topicOf(root, names);
  const topics = [topic];
  for (const [name, { isPrefix }] of topic.members ?? []) {
    if (!isPrefix) topics.push(...await topicsBelow(root, [...names, name]));
  }
  return topics;
}
