/**
 * The names of all commands, and what begins like one.
 *
 * @module
 */

import { type Command, type Group, isGroup } from "../command.ts";

/** The names that lead to a command, in one text: `local train`. */
export type Path = string;

/** All groups and commands that are shown. */
export async function pathsOf(
  group: Group,
  above: readonly string[] = [],
): Promise<readonly Path[]> {
  const paths: Path[] = [];
  for (const [name, { load, isHidden }] of Object.entries(group.commands)) {
    if (isHidden) continue;
    const names = [...above, name];
    paths.push(names.join(" "));
    const declared = await load();
    if (isGroup(declared)) paths.push(...await pathsOf(declared, names));
  }
  return paths;
}

/** Whether these names lead to a command, and not to a group of them. */
export async function isCommand(root: Group, names: readonly string[]): Promise<boolean> {
  let declared: Command | Group = root;
  for (const name of names) {
    if (!isGroup(declared) || !Object.hasOwn(declared.commands, name)) return false;
    declared = await declared.commands[name]!.load();
  }
  return !isGroup(declared);
}

/** A word that is shorter may be the beginning of anything. */
const LEAST_BEGINNING = 3;

/** Those whose name begins with what was typed. */
export function beginningWith<T>(typed: string, all: readonly T[], name: (one: T) => string): T[] {
  if (typed.length < LEAST_BEGINNING) return [];
  return all.filter((one) => name(one).startsWith(typed));
}
