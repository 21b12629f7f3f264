import { type Command, type Group, isGroup, type Member } from "../../commands/command.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicOf } from "../../commands/topic.ts";

/** Names that lead to each group and each command; first none, for the program. */
export async function commandPaths(
  group: Group = root,
  names: readonly string[] = [],
): Promise<readonly (readonly string[])[]> {
  const paths = [names];
  for (const [name, { load, isPrefix }] of Object.entries(group.commands)) {
    const declared = (await load()).default;
    const path = [...names, name];
    if (isGroup(declared) && !isPrefix) paths.push(...await commandPaths(declared, path));
    else paths.push(path);
  }
  return paths;
}

/** Returns the declaration of the command or group that names lead to. */
export async function declarationOf(names: readonly string[]): Promise<Command | Group> {
  let declared: Command | Group = root;
  for (const name of names) {
    const member: Member | undefined = isGroup(declared) ? declared.commands[name] : undefined;
    if (member === undefined) throw new Error(`No command: mlcli ${names.join(" ")}`);
    declared = (await member.load()).default;
  }
  return declared;
}

/** Returns the options and arguments of each command, without the options of groups. */
export async function commandTopics(): Promise<readonly Topic[]> {
  const topics = (await commandPaths()).map((names) => topicOf(root, names));
  return (await Promise.all(topics)).filter(({ members }) => members === undefined);
}
