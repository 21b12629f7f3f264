/**
 * Declarations of commands. The tree holds a summary of each command; its options and its action are
 * loaded only if the command line names it. (Deno would resolve all dynamic imports before it runs the
 * first line; `lazy-dynamic-imports` in deno.json prevents that.)
 */

import type { Section } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import { type Options, propertyName, type Values } from "./options/option.ts";

/** The call of a command. */
export interface Call {
  /** Names of the command: `mlcli local train`. */
  readonly path: string;
  /** The whole tree, for help and completions. */
  readonly root: Group;
}

/** The options of a command, with the configuration file read. */
export interface Configured<O extends Options> {
  /** The command line's values. */
  readonly typed: Values<O>;
  /** The values to use: from the command line, a variable, the file or the default, in this order. */
  readonly options: Values<O>;
  /** The file's values alone. */
  readonly settings: Partial<Values<O>>;
}

/** The call of a command with these options. */
export interface ConfigurableCall<O extends Options> extends Call {
  /**
   * Reads the options again, with values of the configuration file.
   * @throws MlcliError for an invalid value in the file.
   */
  readonly configured: (section: Section) => Promise<Configured<O>>;
}

export type Action<O extends Options> = (
  context: Context,
  options: Values<O>,
  call: ConfigurableCall<O>,
) => Promise<void>;

export type Example = readonly [title: string, line: string];

interface Declaration<O extends Options> {
  /** Text below the summary in the help. */
  readonly details?: string;
  readonly options: O;
  readonly examples?: readonly Example[];
  readonly action: () => Promise<Action<O>>;
}

/**
 * Reads the values of options from a command line.
 *
 * @param settings values for options that the command line doesn't set.
 */
type ReadValues = <O extends Options>(
  options: O,
  settings?: Partial<Values<O>>,
) => Values<O>;

/** A command with any options. */
export interface Command {
  readonly details?: string;
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly run: (context: Context, read: ReadValues, call: Call) => Promise<void>;
}

export function command<O extends Options>(declaration: Declaration<O>): Command {
  const { details, options, examples = [], action } = declaration;
  return {
    details,
    options,
    examples,
    run: async (context, read, call) => {
      // First: a wrong command line is an error before anything is loaded.
      const values = read(options);
      await requirePaths(context.cwd, options, values);
      await (await action())(context, values, {
        ...call,
        configured: async (section) => {
          const { settingsIn } = await import("./options/settings.ts");
          const settings = settingsIn(section, options);
          return { typed: values, options: read(options, settings), settings };
        },
      });
    },
  };
}

/**
 * Requires that no link of a repository leads a path on the command line out of that repository.
 *
 * @param cwd absolute path of the current directory.
 * @param values of the options, by property name.
 * @throws MlcliError as `requireNamed`.
 */
async function requirePaths(
  cwd: string,
  options: Options,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [form, option] of Object.entries(options)) {
    if (!("path" in option) || option.path === undefined || option.path === "inner") continue;
    const pathIn = option.path === "typed" ? String : option.path;
    for (const value of [values[propertyName(form)] ?? []].flat()) {
      // An option's `path` and `parse` are declared together, so the value has the type that it reads.
      const path = pathIn(value as never);
      if (path === undefined) continue;
      const { requireNamed } = await import("../runtime/app/named_path.ts");
      await requireNamed(cwd, path);
    }
  }
}

/** A command or a group within a group. */
export interface Member {
  /** One sentence for the help of the group. */
  readonly summary: string;
  readonly load: () => Command | Group | Promise<Command | Group>;
  /** Other names for it: `ls`. */
  readonly aliases?: readonly string[];
  readonly isHidden?: true;
  /** Whether it is a group of other commands of this group, under a longer name: `cloud train`. */
  readonly isPrefix?: true;
  /** The heading above it in the group's help. */
  readonly heading?: string;
}

/** A group of commands. */
export interface Group {
  /** Text below the summary in the help. */
  readonly details?: string;
  /**
   * Options that all its commands accept, before and after their names. The help of a command shows
   * only those that the command declares itself; the others have no effect on it.
   */
  readonly options: Options;
  /** Options of some of its commands that can also stand before the name of the command. */
  readonly early?: () => Promise<Options>;
  readonly examples?: readonly Example[];
  /** Last paragraph of the help. */
  readonly more?: string;
  readonly commands: Readonly<Record<string, Member>>;
}

/** Returns the name of the command that a word names, by name or alias. */
export function nameIn(
  members: readonly (readonly [name: string, member: Member])[],
  word: string,
): string | undefined {
  return members.find(([name, { aliases }]) => name === word || aliases?.includes(word))?.[0];
}

export function isGroup(declared: Command | Group): declared is Group {
  return "commands" in declared;
}
