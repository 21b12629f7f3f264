/**
 * What a command is: a declaration. Which options it takes, and what it runs, is loaded only when
 * the command line names it; the tree above it holds a sentence about each. (By itself, Deno would
 * look up all that these imports lead to before it runs the first line; `lazy-dynamic-imports` in
 * deno.json keeps it from that.)
 */

import type { Section } from "../runtime/app/sections.ts";
import type { Context } from "../runtime/context.ts";
import type { Options, Values } from "./options/option.ts";

/** How a command was called. */
export interface Call {
  /** The names that lead to it: `mlcli local train`. */
  readonly path: string;
  /** The whole tree, for what completes command lines. */
  readonly root: Group;
}

/** What the configuration file says about the options of a command. */
export interface Configured<O extends Options> {
  /** What the command line says. */
  readonly typed: Values<O>;
  /** The values to use: the command line's, else the file's, else a variable's or the default. */
  readonly options: Values<O>;
  /** What the file gives, whatever the command line says. */
  readonly settings: Partial<Values<O>>;
}

/** How a command with these options was called. */
export interface ConfigurableCall<O extends Options> extends Call {
  /**
   * Reads the options once more, with the configuration file below them.
   * @throws MlcliError for a value there that is not what the option takes.
   */
  readonly configured: (section: Section) => Promise<Configured<O>>;
}

/** What a command does, given the values of its options. */
export type Action<O extends Options> = (
  context: Context,
  options: Values<O>,
  call: ConfigurableCall<O>,
) => Promise<void>;

/** An example for the help: what it is for, and the command line. */
export type Example = readonly [title: string, line: string];

interface Declaration<O extends Options> {
  /** What its sentence in the tree leaves unsaid. */
  readonly details?: string;
  readonly options: O;
  readonly examples?: readonly Example[];
  readonly action: () => Promise<Action<O>>;
}

/**
 * Reads the values of options from a command line.
 *
 * @param settings values that count where the command line has none.
 */
type ReadValues = <O extends Options>(
  options: O,
  settings?: Partial<Values<O>>,
) => Values<O>;

/** A command, whatever its options. */
export interface Command {
  readonly details?: string;
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly run: (context: Context, read: ReadValues, call: Call) => Promise<void>;
}

/** Declares a command. */
export function command<O extends Options>(declaration: Declaration<O>): Command {
  const { details, options, examples = [], action } = declaration;
  return {
    details,
    options,
    examples,
    run: async (context, read, call) => {
      // First: what is wrong with the command line is said before anything is loaded.
      const values = read(options);
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

/** A member of a group: what the group's help says about it, and where the rest is. */
export interface Member {
  /** One sentence. */
  readonly summary: string;
  readonly load: () => Command | Group | Promise<Command | Group>;
  readonly isHidden?: true;
  /** Under which of the group's headings the help has it. */
  readonly heading?: string;
}

/** A command that only holds others. */
export interface Group {
  /** What its sentence in the tree leaves unsaid. */
  readonly details?: string;
  /** Options that all its commands take, before their name and after it. */
  readonly options: Options;
  /**
   * Options of some of its commands that may stand before their names, too. One that has no use for
   * such an option takes it, and does not show it.
   */
  readonly early?: Options;
  readonly examples?: readonly Example[];
  /** What its help ends with. */
  readonly more?: string;
  readonly commands: Readonly<Record<string, Member>>;
}

/** Whether it is a group. */
export function isGroup(declared: Command | Group): declared is Group {
  return "commands" in declared;
}
