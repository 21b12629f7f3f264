/**
 * The declared commands as Cliffy's, which reads the command line.
 *
 * Only the command that the command line names is loaded and made, with the options that it has: to make
 * all of them takes several times as long as to read a command line.
 */

import { Command as Cliffy, EnumType, ValidationError } from "@cliffy/command";
import type { Context } from "../../runtime/context.ts";
import { type Command, type Group, isGroup } from "../command.ts";
import {
  argumentsOf,
  COMPLETION_KINDS,
  type CompletionKind,
  type NamedArgument,
  type NamedOption,
  type Options,
  optionsOf,
  propertyName,
} from "../options/option.ts";
import { help, version } from "../options/standard.ts";
import { usageError } from "../usage.ts";
import type { ParsedCommand } from "./command_line.ts";
import { readValues } from "./values.ts";

/**
 * A command of Cliffy's. Its eight type parameters would say again what the declarations say; with
 * `any` for them, no type of Cliffy's leaves this directory.
 */
// deno-lint-ignore no-explicit-any
export type CliffyCommand = Cliffy<any, any, any, any, any, any, any, any>;

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
  const tree = await rootCommand({
    root,
    context,
    rest,
    isWanted: (path) => path.every((name, index) => name === names[index]),
    isRead: ([flag, option]) => words.includes(flag) || "required" in option && !!option.required,
  });
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
    " can only occur once, but was found several times.",
    " is given more than once.",
  );
}

/** What a tree is made for. */
interface Purpose {
  readonly root: Group;
  readonly context: Context;
  /** What follows `--`. */
  readonly rest: readonly string[];
  /** Whether a command is to be in the tree, by the names that lead to it. */
  readonly isWanted: (path: readonly string[]) => boolean;
  /** Whether an option is. */
  readonly isRead: (option: NamedOption) => boolean;
}

/** The tree that completes these words: it lacks the commands that none of them names. */
export async function treeFor(
  words: readonly string[],
  root: Group,
  context: Context,
): Promise<CliffyCommand> {
  return await completingTree(root, context, (path) => words.includes(path.at(-1)!));
}

/** The tree of all commands. */
export async function wholeTree(root: Group, context: Context): Promise<CliffyCommand> {
  const { VERSION } = await import("../../runtime/version.ts");
  return (await completingTree(root, context, () => true)).version(VERSION);
}

async function completingTree(
  root: Group,
  context: Context,
  isWanted: Purpose["isWanted"],
): Promise<CliffyCommand> {
  const command = await rootCommand({ root, context, rest: [], isWanted, isRead: () => true });
  for (const kind of COMPLETION_KINDS) {
    command.globalComplete(kind, () => completions(kind, context));
  }
  return command;
}

async function rootCommand(purpose: Purpose): Promise<CliffyCommand> {
  const { root } = purpose;
  return (await groupCommand(root, [], purpose))
    .name("mlcli")
    .description(root.details ?? "")
    .throwErrors()
    .noExit()
    // Never shown: mlcli answers who asks for help before Cliffy parses anything.
    .help(() => "")
    .helpOption(flags(["--help", help["--help"]]), help["--help"].description)
    .versionOption(flags(["--version", version["--version"]]), version["--version"].description);
}

async function completions(kind: CompletionKind, context: Context): Promise<string[]> {
  const { completionValues } = await import("../completions/values.ts");
  return [...await completionValues(kind, context)];
}

async function groupCommand(
  group: Group,
  names: readonly string[],
  purpose: Purpose,
): Promise<CliffyCommand> {
  const command: CliffyCommand = new Cliffy();
  const options = optionsOf({ ...group.early, ...group.options }).filter(purpose.isRead);
  addOptions(command, options, { isGlobal: true });
  // Last: what follows a command in Cliffy's chain is that command's.
  for (const [name, { summary, load, isHidden }] of Object.entries(group.commands)) {
    const path = [...names, name];
    if (!purpose.isWanted(path)) continue;
    const declared = await load();
    const child = isGroup(declared)
      ? await groupCommand(declared, path, purpose)
      : leafCommand(declared, path, {
        ...purpose,
        inherited: { ...purpose.root.early, ...group.options },
      });
    child.description([summary, declared.details].filter((text) => text).join(" "));
    if (isHidden) child.hidden();
    command.command(name, child).reset();
  }
  return command;
}

function leafCommand(
  declared: Command,
  names: readonly string[],
  { root, context, rest, isRead, inherited }: Purpose & { readonly inherited: Options },
): CliffyCommand {
  const path = ["mlcli", ...names].join(" ");
  const command: CliffyCommand = new Cliffy();
  const ownArguments = argumentsOf(declared.options);
  for (const [form, { choices }] of ownArguments) {
    if (choices !== undefined) command.type(propertyName(form), new Choices([...choices]));
  }
  const words = ownArguments.map(argumentDefinition).join(" ");
  if (words !== "") command.arguments(words);
  // What the group has already, Cliffy gives to its commands.
  const own = optionsOf(declared.options).filter(([flag]) => !(flag in inherited));
  addOptions(command, own.filter(isRead), { env: context.env });
  return command.action(async (options: Record<string, unknown>, ...words: string[]) => {
    const given = { options, arguments: words, rest };
    await declared.run(
      context,
      (declaration, settings) =>
        readValues(declaration, given, { path, env: context.env }, settings),
      { path, root },
    );
  });
}

/** Values to complete; `values.ts` checks them. */
class Choices extends EnumType<string> {
  override parse({ value }: { readonly value: string }): string {
    return value;
  }
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
    if (option.value !== undefined && option.choices !== undefined) {
      command.type(option.value, new Choices([...option.choices]));
    }
    // Defaults are not Cliffy's: it would hide whether the command line has a value.
    command.option(flags(named), option.description, {
      global: isGlobal,
      required: option.value !== undefined && option.required === true &&
        !(option.variable !== undefined && env(option.variable)),
      collect: option.value !== undefined && option.repeatable === true,
    });
  }
}

/** `-p, --port <port:string:server-port>` */
function flags([flag, option]: NamedOption): string {
  const own = option.short === undefined ? flag : `${option.short}, ${flag}`;
  if (option.value === undefined) return own;
  const names = option.alias === undefined ? own : `${own}, ${option.alias}`;
  const type = option.choices === undefined ? cliffyType(option.completion) : option.value;
  return `${names} <${option.value}:${type}>`;
}

/** `[file:file]`, `<kind:string>` */
function argumentDefinition([form, argument]: NamedArgument): string {
  const { choices, completion } = argument;
  const type = choices === undefined ? cliffyType(completion) : propertyName(form);
  return form.replace(/(?=[\]>]$)/, `:${type}`);
}

function cliffyType(completion: CompletionKind | "file" | undefined): string {
  if (completion === "file") return "file";
  return completion === undefined ? "string" : `string:${completion}`;
}
