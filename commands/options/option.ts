/**
 * Declarations of options. Flag, help, completion and the type of the value all come from a declaration,
 * so a command that uses a wrong name or type fails the type check.
 */

/** Kinds of values that mlcli completes. The shell completes all others as files. */
export type CompletionKind =
  | "app"
  | "script"
  | "server-port"
  | "image-tag"
  | "network"
  | "local-job"
  | "model-run"
  | "profile"
  | "region"
  | "instance-type";

/**
 * Path of a file or a directory in a value that the user types:
 * - `typed`: the value is the path.
 * - A function returns the path in a parsed value: `DIR` in `training=DIR`.
 * - `inner`: the value is a path below another directory, and the code that reads it confines it there.
 *
 * Before an action gets a path, except an inner one, `command` requires that no link of a repository
 * leads it elsewhere.
 */
export type PathIn = "typed" | "inner" | ((value: never) => string | undefined);

/**
 * Parses a value.
 *
 * @param source names the value at the beginning of a message: `Option "--port"`.
 * @throws UsageError for an invalid value.
 */
export type Parser<T> = (text: string, source: string) => T;

/** Headings of a command's help, in this order. Options that must be given are under "Required". */
export const OPTION_GROUPS = [
  "Required",
  "Options",
  "Your app and image",
  "Records and requests",
  "Resources",
  "Hosts",
  "Failure rehearsal",
  "Container",
  "AWS",
  "Results",
  "Global",
] as const;

export type OptionGroup = typeof OPTION_GROUPS[number];

interface Common {
  readonly description: string;
  /** Heading of the option in the help (default: "Options"). */
  readonly group?: OptionGroup;
  /** Whether the help of a command with many options lists it only for `--help all`. */
  readonly rare?: true;
  /** `-p` */
  readonly short?: `-${string}` | undefined;
  /** Option that this one requires. */
  readonly onlyWith?: Flag;
  /**
   * Whether the app's configuration file can set it: `--max-run` is `max_run` in the command's object
   * (`options/settings.ts`).
   */
  readonly key?: true;
}

/** An option without a value: `--wait`. `--no-cache` sets its property `cache` to false. */
export interface Switch extends Common {
  readonly value?: undefined;
}

/** An option with a value: `--port PORT`. */
interface ValueOption extends Common {
  /** Placeholder in the help: `PORT`. */
  readonly value: string;
  readonly choices?: readonly string[];
  /** Default, as a user would type it. */
  readonly default?: string;
  readonly required?: true;
  /** Whether the command line or the configuration file must set it; a text names alternatives. */
  readonly needed?: true | string;
  /** Whether the next word is its value even if it is an option of one letter: `--command -c`. */
  readonly acceptsLetters?: true;
  /** Name of the option in other tools. */
  readonly alias?: Flag;
  /** Switch that stands for one of the values: `--json` for `--output json`. */
  readonly shorthand?: readonly [flag: Flag, value: string];
  readonly repeatable?: true;
  readonly completion?: CompletionKind;
  readonly path?: PathIn;
  /** Environment variable that sets the value if the command line doesn't. */
  readonly variable?: string | undefined;
  /** The user's own setting that sets the value if nothing else does. */
  readonly setting?: "output";
  readonly parse?: Parser<unknown>;
}

export interface Argument {
  readonly choices?: readonly string[];
  readonly completion?: CompletionKind;
  readonly path?: PathIn;
  readonly parse?: Parser<unknown>;
}

/** `--port` */
export type Flag = `--${string}`;

/**
 * `<name>` is required, `[name]` is optional, `[name...]` accepts all that follow. `[-- name...]` accepts
 * all words after `--`, unchanged.
 */
type ArgumentForm = `<${string}>` | `[${string}]`;

/** Options of a command by flag, in the order of the help, and its arguments. */
export type Options = {
  readonly [flag: Flag]: Switch | ValueOption;
  readonly [argument: ArgumentForm]: Argument;
};

/**
 * Declares options: those of one command, or a group that several share.
 *
 * @example
 * const OPTIONS = options({ ...appName, "--wait": { description: "Return when it is done." } });
 */
export function options<const O extends Options>(declared: O & Checked<O>): O {
  return declared;
}

/**
 * Refuses unknown fields, in `onlyWith` the names of other commands' options, and files and directories
 * without a `path`.
 */
type Checked<O> = {
  readonly [K in keyof O]:
    & {
      readonly [Field in keyof O[K]]: Field extends "onlyWith" ? keyof O
        : Field extends FieldOf<K, O[K]> ? unknown
        : never;
    }
    & (K extends FileArgument ? HasPath : O[K] extends { readonly value: FileWord } ? HasPath
    : unknown);
};

interface HasPath {
  readonly path: PathIn;
}

/** Placeholders for files and directories. */
type FileWord = "file" | "dir" | "path";

type FileArgument = `${"<" | "["}${FileWord}${">" | "]" | "..."}${string}`;

type FieldOf<Form, Declared> = Form extends Flag
  ? Declared extends { readonly value: string } ? keyof ValueOption : keyof Switch
  : keyof Argument;

/** Values that a command receives: a property for each option and argument. */
export type Values<O extends Options> = {
  readonly [K in keyof O & string as PropertyName<K>]: K extends Flag ? OptionValue<O[K]>
    : K extends `[${string}...]` ? readonly Parsed<O[K]>[]
    : K extends `[${string}` ? Parsed<O[K]> | undefined
    : Parsed<O[K]>;
};

type OptionValue<O> = O extends { readonly value: string }
  ? O extends { readonly repeatable: true } ? readonly Parsed<O>[]
  : O extends { readonly required: true } | { readonly default: string } ? Parsed<O>
  : Parsed<O> | undefined
  : boolean;

type Parsed<O> = O extends { readonly parse: Parser<infer T> } ? T
  : O extends { readonly choices: readonly (infer Choice)[] } ? Choice
  : string;

/** `--app-name` is `appName`, `--no-cache` is `cache`, `[file]` and `[-- file...]` are `file`. */
type PropertyName<K extends string> = K extends `--no-${infer Name}` ? CamelCase<Name>
  : K extends `--${infer Name}` ? CamelCase<Name>
  : K extends `[-- ${infer Name}...]` ? CamelCase<Name>
  : K extends `[${infer Name}...]` ? CamelCase<Name>
  : K extends `[${infer Name}]` ? CamelCase<Name>
  : K extends `<${infer Name}>` ? CamelCase<Name>
  : never;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** Returns the property name of an option or an argument, like the type `PropertyName`. */
export function propertyName(form: string): string {
  const name = form.replace(/^--(no-)?|^[[<](-- )?|(\.\.\.)?[\]>]$/g, "");
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the key of a flag in the configuration file: `max_run` for `--max-run`. */
export function keyOf(flag: Flag): string {
  return flag.slice(2).replaceAll("-", "_");
}

/** An option with its flag. */
export type NamedOption = readonly [flag: Flag, option: Switch | ValueOption];

/** An argument with its form. */
export type NamedArgument = readonly [form: ArgumentForm, argument: Argument];

export function optionsOf(declared: Options): readonly NamedOption[] {
  return Object.entries(declared).filter((entry): entry is [Flag, Switch | ValueOption] =>
    entry[0].startsWith("--")
  );
}

/** Returns the arguments, without the one for words after `--`. */
export function argumentsOf(declared: Options): readonly NamedArgument[] {
  return allArgumentsOf(declared).filter(([form]) => !takesRest(form));
}

/** Returns the argument for words after `--`; `undefined` if the command accepts none. */
export function restArgumentOf(declared: Options): NamedArgument | undefined {
  return allArgumentsOf(declared).find(([form]) => takesRest(form));
}

function allArgumentsOf(declared: Options): readonly NamedArgument[] {
  return Object.entries(declared).filter((entry): entry is [ArgumentForm, Argument] =>
    !entry[0].startsWith("--")
  );
}

function takesRest(form: ArgumentForm): boolean {
  return form.startsWith("[-- ");
}
