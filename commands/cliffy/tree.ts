/**
 * The declared commands as Cliffy's, which reads the command line.
 *
 * Only the command that the command line names is loaded and made, with the options that it has: to make
 * all of them takes several times as long as to read a command line.
 */

import { Command as Cliffy, ValidationError } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import { type Command, type Group, isGroup } from "../command.ts";
import { type NamedOption, type Options, optionsOf, withNegations } from "../options/option.ts";
import { readOptions } from "../options/read.ts";
import { usageError } from "../usage.ts";
import type { ParsedCommand } from "./command_line.ts";

/**
 * A command of Cliffy's. Its eight type parameters would say again what the declarations say; with
 * `any` for them, no type of Cliffy's leaves this directory.
 */
// deno-lint-ignore no-explicit-any
type CliffyCommand = Cliffy<any, any, any, any, any, any, any, any>;

/**
 * Runs the command that is asked for.
 *
 * @throws UsageError when the command line is wrong; and whatever the command throws.
 */
export async function run(
  { names, words, rest }: ParsedCommand,
  root: Group,
  context: Context,
): Promise<void> {
  const isRead = ([flag, option]: NamedOption): boolean =>
    words.includes(flag) || "required" in option && !!option.required;
  // mlcli answers who asks for help or the version, before Cliffy parses anything.
  const tree = (await groupCommand(root, [], { root, context, names, rest, isRead }))
    .name("mlcli").throwErrors().noExit().helpOption(false).versionOption(false);
  try {
    await tree.parse([...words]);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { message, cmd } = error;
    throw usageError(cmd?.getPath() ?? "mlcli", inOurWords(message));
  }
}

/** Rewords Cliffy's message about an option that is given twice. */
function inOurWords(message: string): string {
  return message.replace(
    " can only occur once, but was found several times",
    " was given more than once",
  ).replace(/\.$/, "");
}

/** What a tree is made for. */
interface Purpose {
  readonly root: Group;
  readonly context: Context;
  /** Those that lead to the command. */
  readonly names: readonly string[];
  /** What follows `--`. */
  readonly rest: readonly string[];
  /** Whether an option is to be in the tree. */
  readonly isRead: (option: NamedOption) => boolean;
}

/** @param path names that lead to the group. */
async function groupCommand(
  group: Group,
  path: readonly string[],
  purpose: Purpose,
): Promise<CliffyCommand> {
  const command: CliffyCommand = new Cliffy();
  const options = optionsOf(group.options).filter(purpose.isRead);
  addOptions(command, options, { isGlobal: true });
  // Last, because calls after a command in Cliffy's chain apply to that command.
  const name = purpose.names[path.length]!;
  const declared = (await group.commands[name]!.load()).default;
  const child = isGroup(declared)
    ? await groupCommand(declared, [...path, name], purpose)
    : leafCommand(declared, { ...purpose, inherited: group.options });
  command.command(name, child).reset();
  return command;
}

function leafCommand(
  declared: Command,
  { root, context, names, rest, isRead, inherited }: Purpose & { readonly inherited: Options },
): CliffyCommand {
  const path = ["mlcli", ...names].join(" ");
  const command: CliffyCommand = new Cliffy();
  // `parseCommand` has checked the arguments.
  command.arguments("[words...]");
  // What the group has already, Cliffy gives to its commands.
  const own = withNegations(optionsOf(declared.options)).filter(([flag]) => !(flag in inherited));
  addOptions(command, own.filter(isRead), { env: context.env });
  return command.action(async (options: Record<string, unknown>, ...words: string[]) => {
    const given = { options, arguments: words, rest };
    await declared.run(
      context,
      (options, file) => readOptions(options, { given, env: context.env, path, file }),
      { path, root },
    );
  });
}

function addOptions(
  command: CliffyCommand,
  options: readonly NamedOption[],
  { isGlobal = false, env = () => undefined }: {
    readonly isGlobal?: boolean;
    readonly env?: Context["env"];
  },
): void {
  for (const named of options) {
    const [, option] = named;
    // Defaults are not Cliffy's: it would hide whether the command line has a value.
    command.option(flags(named), option.description, {
      global: isGlobal,
      required: option.value !== undefined && option.required === true &&
        !(option.variable !== undefined && env(option.variable)),
      collect: option.value !== undefined && option.repeatable === true,
    });
  }
}

/** `-p, --port <value>` */
function flags([flag, option]: NamedOption): string {
  const own = option.short === undefined ? flag : `${option.short}, ${flag}`;
  if (option.value === undefined) return own;
  return `${option.alias === undefined ? own : `${own}, ${option.alias}`} <value>`;
}
