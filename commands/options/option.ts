/**
 * Declarations of settings. Command line, environment variable, configuration file, JSON schema, help,
 * completion and the type of the value all come from one declaration, so a command that uses a wrong
 * name or type fails the type check. `read.ts` reads the values.
 */

import type { ConfigurationKey, SectionName } from "../../runtime/app/configuration.ts";
import type { Setting } from "../../runtime/setting.ts";

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
type PathIn = "typed" | "inner" | ((value: never) => string | undefined);

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
  /** Option without which this one has no effect: setting only this one is an error. */
  readonly onlyWith?: Flag;
  /**
   * Options that cannot be used together with this one, where a command has them. Two that were set at
   * the same level are an error. Otherwise the one with the weaker level is ignored.
   */
  readonly excludes?: readonly Flag[];
  /** Hint of errors about `excludes`, `onlyWith` and `onlyWithout` (default: the command's help). */
  readonly hint?: string;
  /** Whether this option wins over those that it excludes if the configuration file sets both. */
  readonly winsInFile?: true;
  /**
   * Object of the configuration file that can set the option; `true`: the object of the command.
   * `--max-run` is `max_run` in `"train"`.
   */
  readonly key?: true | SectionName;
  /** Key at the top level of the file that sets the option if no object does. */
  readonly top?: ConfigurationKey;
  /**
   * Whether the command receives a `Setting` instead of the bare value, because what it does depends on
   * who set the value.
   */
  readonly traced?: true;
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
  /** Whether the entries of the command line are added to those of the file, instead of replacing them. */
  readonly merged?: true;
  /**
   * Checks a value from the configuration file, which someone else might have written.
   *
   * @param source names the value at the beginning of a message: `flats.json: "network" in "local"`.
   * @throws MlcliError if only the user can choose this value.
   */
  readonly trust?: (value: never, source: string) => void;
  /** Option whose value in the file this one is for: the file's value is ignored if another one is used. */
  readonly belongsTo?: Flag;
  /** Option that leaves this one without effect: typing this one is an error if any level sets the other. */
  readonly onlyWithout?: Flag;
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
 * Declares options: those of one command, or a group that several share. A key is the form of an option
 * in the help: letter, name, name in other tools, placeholder of the value, `...` if it is repeatable.
 * Only the first name is the key of the result.
 *
 * @example
 * const OPTIONS = options({
 *   ...appName,
 *   "-e, --ec2-type, --instance-type TYPE": { description: "Instance type, such as ml.m5.large" },
 *   "--env NAME[=VALUE]...": { description: "Environment variable for your code (repeatable)" },
 *   "--wait": { description: "Return when it is done" },
 * });
 */
export function options<const O extends Readonly<Record<string, object>>>(
  declared: O & Checked<O>,
): Declared<O> {
  const all = Object.entries(declared).map(([form, option]) => {
    const [, forms, placeholder] = /^(-[^\s,]+(?:, -[^\s,]+)*)(?: (\S+))?$/.exec(form) ?? [];
    if (forms === undefined) return [form, option];
    const names = forms.split(", ");
    const [flag, alias] = names.filter((name) => name.startsWith("--"));
    const short = names.find((name) => !name.startsWith("--"));
    return [flag, {
      ...short && { short },
      ...alias && { alias },
      ...placeholder && { value: placeholder.toLowerCase().replace("...", "") },
      ...placeholder?.endsWith("...") && { repeatable: true },
      ...option,
    }];
  });
  // The type `Declared` describes what this does at run time.
  return Object.fromEntries(all);
}

/** Options by flag, with the fields of their forms. */
type Declared<O> = { readonly [K in keyof O & string as FlagIn<K>]: FieldsIn<K> & O[K] };

/** `--ec2-type` of `-e, --ec2-type, --instance-type TYPE`; an argument is as it stands. */
type FlagIn<Form extends string> = Form extends `--${infer Name}`
  ? `--${Before<",", Before<" ", Name>>}`
  : Form extends `-${string}, ${infer Rest}` ? FlagIn<Rest>
  : Form;

type Before<Mark extends string, Text extends string> = Text extends
  `${infer Start}${Mark}${string}` ? Start : Text;

type FieldsIn<Form extends string> = Form extends `-${string}`
  ? PlaceholderIn<Form> extends `${infer Value}...`
    ? { readonly value: Lowercase<Value>; readonly repeatable: true }
  : PlaceholderIn<Form> extends "" ? unknown
  : { readonly value: Lowercase<PlaceholderIn<Form>> }
  : unknown;

/** `TYPE` of `-e, --ec2-type TYPE`; empty without a value. */
type PlaceholderIn<Form extends string> = Form extends `${string}, ${infer Rest}`
  ? PlaceholderIn<Rest>
  : Form extends `${string} ${infer Placeholder}` ? Placeholder
  : "";

/**
 * Adds fields to several options.
 *
 * @example
 * each({ group: "AWS", rare: true }, { "--tag KEY=VALUE...": { ... }, "--kms-key KEY": { ... } })
 */
export function each<const Common, const O extends Readonly<Record<string, object>>>(
  common: Common,
  declared: O,
): { readonly [K in keyof O]: Common & O[K] } {
  const all = Object.entries(declared).map(([form, option]) => [form, { ...common, ...option }]);
  // The type says what this does for each option.
  return Object.fromEntries(all);
}

/**
 * Refuses unknown fields, in `onlyWith` the names of other commands' options, and files and directories
 * without a `path`.
 */
type Checked<O> = {
  readonly [K in keyof O & string]:
    & {
      readonly [Field in keyof O[K]]: Field extends "onlyWith" ? FlagIn<keyof O & string>
        : Field extends FieldOf<K, FieldsIn<K> & O[K]> ? unknown
        : never;
    }
    & (K extends FileArgument ? HasPath
      : FieldsIn<K> & O[K] extends { readonly value: FileWord } ? HasPath
      : unknown);
};

interface HasPath {
  readonly path: PathIn;
}

/** Placeholders for files and directories. */
type FileWord = "file" | "dir" | "path";

type FileArgument = `${"<" | "["}${FileWord}${">" | "]" | "..."}${string}`;

type FieldOf<Form, Fields> = Form extends `-${string}`
  ? Fields extends { readonly value: string } ? keyof ValueOption : keyof Switch
  : keyof Argument;

/** Values that a command receives: a property for each option and argument. */
export type Values<O extends Options> = {
  readonly [K in keyof O & string as PropertyName<K>]: K extends Flag ? OptionValue<O[K]>
    : K extends `[${string}...]` ? readonly Parsed<O[K]>[]
    : K extends `[${string}` ? Parsed<O[K]> | undefined
    : Parsed<O[K]>;
};

type OptionValue<O> = O extends { readonly value: string }
  ? O extends { readonly repeatable: true } ? readonly Traced<O, Parsed<O>>[]
  : O extends { readonly required: true } | { readonly default: string } ? Traced<O, Parsed<O>>
  : Traced<O, Parsed<O>> | undefined
  : Traced<O, boolean>;

type Traced<O, T> = O extends { readonly traced: true } ? Setting<T> : T;

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

/** Returns the keys of an option in the configuration file: that of its flag, and that of its alias. */
export function keysOf([flag, option]: NamedOption): readonly string[] {
  return option.value === undefined || option.alias === undefined
    ? [keyOf(flag)]
    : [keyOf(flag), keyOf(option.alias)];
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

/** Returns options with `--no-spot` for each switch that the configuration file can turn on. */
export function withNegations(named: readonly NamedOption[]): readonly NamedOption[] {
  return named.flatMap(([flag, option]): readonly NamedOption[] => {
    if (option.value !== undefined || option.key === undefined) return [[flag, option]];
    return [[flag, option], [`--no-${flag.slice(2)}`, { description: `Undo ${flag} of the file` }]];
  });
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
