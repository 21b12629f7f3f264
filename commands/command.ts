/**
 * Declarations of commands. The tree holds a summary of each command; its options and its action are
 * loaded only if the command line names it. (Deno would resolve all dynamic imports before it runs the
 * first line; `lazy-dynamic-imports` in deno.json prevents that.)
 */

import type { App } from "../runtime/app/app.ts";
import type { SectionName } from "../runtime/app/configuration.ts";
import type { Context } from "../runtime/context.ts";
import { NoAppHere } from "../runtime/errors.ts";
import { Messages } from "../runtime/messages.ts";
import type { Setting } from "../runtime/setting.ts";
import type { AppFile } from "./options/file.ts";
import type { ProgramChoice } from "./program.ts";
import { type Options, propertyName, type Values } from "./options/option.ts";

/** The call of a command. */
export interface Call {
  /** Names of the command: `mlcli local train`. */
  readonly path: string;
  /** The whole tree, for help and completions. */
  readonly root: Group;
}

/** The call of a command that uses an app. */
export interface AppCall extends Call {
  /**
   * Reads options that the command itself does not have.
   *
   * @param section object of the configuration file; `undefined`: only the top level.
   */
  readonly read: <O extends Options>(options: O, section: SectionName | undefined) => Values<O>;
}

export type Action<O extends Options> = (
  context: Context,
  options: Values<O>,
  call: Call,
) => Promise<void>;

type AppAction<O extends Options> = (
  context: Context,
  options: AppValues<O>,
  call: AppCall,
) => Promise<void>;

/** Values of a command that uses an app. They include those of the app's configuration file. */
export type AppValues<O extends Options> = Values<O> & {
  /** The app, with the image that the command uses. */
  readonly app: App;
};

export type Example = readonly [title: string, line: string];

interface Declaration<O extends Options> {
  /** Text below the summary in the help. */
  readonly details?: string;
  readonly options: O;
  readonly examples?: readonly Example[];
}

/**
 * Reads the values of options.
 *
 * @param file the app's configuration file (default: none is read).
 */
type ReadOptions = <O extends Options>(options: O, file?: AppFile) => Values<O>;

/** A command with any options. */
export interface Command extends Declaration<Options> {
  readonly run: (context: Context, read: ReadOptions, call: Call) => Promise<void>;
}

/**
 * Returns a command that reads its command line before anything else is loaded, and that has its own
 * messages. Text of its streams stands above the lines at the bottom of the terminal, and a question
 * removes these lines.
 */
function commandOf<O extends Options>(
  declaration: Declaration<O>,
  run: (context: Context, typed: Values<O>, read: ReadOptions, call: Call) => Promise<void>,
): Command {
  return {
    ...declaration,
    run: async (caller, read, call) => {
      const typed = read(declaration.options);
      await requirePaths(caller.cwd, declaration.options, typed);
      using messages = new Messages(caller.err, typed);
      const ask: Context["ask"] = (question, defaultAnswer) => {
        messages.showBelow(undefined);
        return caller.ask(question, defaultAnswer);
      };
      const [out, err] = [messages.above(caller.out), messages.stream];
      await run({ ...caller, messages, out, err, ask }, typed, read, call);
    },
  };
}

/** Declares a command that can do without an app. */
export function command<O extends Options>(
  { action, usesApps, ...declaration }: Declaration<O> & {
    /** Imports the modules that it needs when it runs. */
    readonly action: Action<O>;
    /** Whether it can use apps: mlcli warns of unknown keys in their configuration files. */
    readonly usesApps?: true;
  },
): Command {
  return commandOf(declaration, async (context, typed, _read, call) => {
    if (usesApps) await (await import("./chosen_app.ts")).warnOfKeys(context, typed);
    await action(context, typed, call);
  });
}

/** Options about the app that a command can have. */
interface AppChoice extends Partial<ProgramChoice> {
  readonly appName?: string | undefined;
  readonly dockerTag?: string;
}

/**
 * Declares a command that uses an app.
 *
 * @param section object of the app's configuration file for the options with `key: true`.
 */
export function appCommand<O extends Options>(
  { action, section, check, usesEngine, ...declaration }: Declaration<O> & {
    /** Imports the modules that it needs when it runs. */
    readonly action: AppAction<O>;
    readonly section?: SectionName;
    /** Checks the command line before the app is read. */
    readonly check?: (typed: Values<O>, path: string) => void;
    /** Whether mlcli connects to the engine while it reads the app. */
    readonly usesEngine?: true;
  },
): Command {
  return commandOf(declaration, async (context, typed, read, call) => {
    check?.(typed, call.path);
    // The code that needs the engine reports a failure.
    if (usesEngine) context.engine().catch(() => {});
    const { chosenApp, withChosenImage } = await import("./chosen_app.ts");
    // `O` does not contain the types of options that a command might not have.
    const choice: AppChoice = typed;
    const app = await chosenApp(context, choice).catch(async (error) => {
      if (!(error instanceof NoAppHere)) throw error;
      const { withInitCommand } = await import("./program.ts");
      throw withInitCommand(error, context.cwd, section, choice);
    });
    const values = read(declaration.options, { app, section });
    await action(context, { ...values, app: withChosenImage(app, values) }, {
      ...call,
      read: (others, section) => read(others, { app, section }),
    });
  });
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
    for (const found of [values[propertyName(form)] ?? []].flat()) {
      const value = "traced" in option && option.traced ? (found as Setting<unknown>).value : found;
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
  /** Imports its module, whose default export is its declaration. */
  readonly load: () => Promise<{ readonly default: Command | Group }>;
  /** Other names for it: `ls`. */
  readonly aliases?: readonly string[];
  readonly isHidden?: true;
  /** Whether it is a group of other commands of this group, under a longer name: `cloud train`. */
  readonly isPrefix?: true;
  /** The heading above it in the group's help: `under`. */
  readonly heading?: string;
}

/** Returns members under one heading of the group's help. */
export function under(
  heading: string,
  members: Readonly<Record<string, Member>>,
): Readonly<Record<string, Member>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, { ...member, heading }]),
  );
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
