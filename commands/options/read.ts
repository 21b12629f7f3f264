/**
 * Reads the settings of a command. Each comes from the strongest level that sets it: the command line,
 * its variable, the app's configuration file, the user's own settings, the default.
 */

import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { personSettings } from "../../runtime/person.ts";
import { outranks, type Setting } from "../../runtime/setting.ts";
import { alternatives } from "../../runtime/text.ts";
import { usageError } from "../usage.ts";
import { type AppFile, settingsInFile } from "./file.ts";
import {
  argumentsOf,
  type Flag,
  keyOf,
  type NamedOption,
  type Options,
  optionsOf,
  type Parser,
  propertyName,
  restArgumentOf,
  type Values,
} from "./option.ts";
import { parsed } from "./parsers.ts";

/** The words of a command line, before they are parsed. */
export interface Given {
  /** By property name. Options that are not on the command line are missing. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[];
}

export interface Sources {
  readonly given: Given;
  readonly env: (name: string) => string | undefined;
  /** Path of the command: `mlcli local train`. */
  readonly path: string;
  /** The app's configuration file; `undefined`: it is not read. */
  readonly file?: AppFile | undefined;
}

type Declared = ReadonlyMap<Flag, NamedOption[1]>;

/** An option's settings, the strongest last. An option that is not repeatable has at most one. */
type Settings = readonly FoundSetting[];

interface FoundSetting extends Setting<unknown> {
  /** Names the value at the beginning of a message: `Option "--port"`. */
  readonly source: string;
}

/**
 * Returns the values of options and arguments.
 *
 * @throws UsageError if a value is invalid, or two options that were typed exclude each other; MlcliError
 * if the configuration file is wrong.
 */
export function readOptions<O extends Options>(options: O, sources: Sources): Values<O> {
  try {
    const named: Declared = new Map(optionsOf(options));
    const settings = settingsOf(named, sources);
    requireEffect(named, settings, sources);
    dropExcluded(named, settings);
    const values = Object.fromEntries([
      ...[...named].map((one) => [propertyName(one[0]), valueOf(one, settings)]),
      ...argumentValues(options, sources.given),
      ...restValue(options, sources.given),
    ]);
    // The type `Values` describes what this does at run time.
    return values as Values<O>;
  } catch (error) {
    if (!(error instanceof UsageError) || error.hint !== undefined) throw error;
    throw usageError(sources.path, error.message);
  }
}

function settingsOf(declared: Declared, sources: Sources): Map<Flag, Settings> {
  const settings = new Map<Flag, Settings>();
  const inFile = new Map<Flag, Settings>();
  for (const named of declared) {
    const [flag, option] = named;
    // A wrong value in the file is an error even if another level wins.
    const own = sources.file ? settingsInFile(named, parserOf(named), sources.file) : [];
    const typed = typedSettings(named, sources.given);
    const levels = "merged" in option && option.merged
      ? [[...own, ...typed]]
      : [typed, variableSetting(named, typed.length > 0, sources.env), own];
    const found = levels.find((level) => level.length > 0) ?? personSetting(named, sources.env);
    settings.set(flag, found.length > 0 ? found : defaultSetting(named));
    inFile.set(flag, own);
  }
  for (const named of declared) {
    const [flag, option] = named;
    const other = "belongsTo" in option ? option.belongsTo : undefined;
    if (other === undefined || settings.get(flag)?.at(-1)?.from !== "file") continue;
    const isOwn = settings.get(other)?.at(-1)?.value === inFile.get(other)?.at(-1)?.value;
    if (!isOwn) settings.set(flag, defaultSetting(named));
  }
  return settings;
}

function typedSettings(named: NamedOption, { options }: Given): Settings {
  const [flag, option] = named;
  const typed = options[propertyName(flag)];
  const source = `Option "${flag}"`;
  const parse = option.value === undefined ? undefined : parserOf(named);
  return (typed === undefined ? [] : [typed].flat()).map((text) => {
    const value = parse === undefined ? text : parse(String(text), source);
    return { value, from: "typed", where: flag, source };
  });
}

function variableSetting(named: NamedOption, isTyped: boolean, env: Sources["env"]): Settings {
  const variable = "variable" in named[1] ? named[1].variable : undefined;
  // An empty variable counts as not set. A wrong one does no harm if something was typed.
  const text = variable === undefined || isTyped ? undefined : env(variable);
  if (variable === undefined || !text) return [];
  const value = parserOf(named)(text, variable);
  return [{ value, from: "variable", where: variable, source: variable }];
}

function personSetting([, option]: NamedOption, env: Sources["env"]): Settings {
  const name = "setting" in option ? option.setting : undefined;
  const value = name && personSettings(env)[name];
  const where = `${name} in mlcli config`;
  return value === undefined ? [] : [{ value, from: "person", where, source: where }];
}

function defaultSetting(named: NamedOption): Settings {
  const [flag, option] = named;
  const source = `Option "${flag}"`;
  const value = option.value === undefined
    ? flag.startsWith("--no-")
    : option.default && parserOf(named)(option.default, source);
  return value === undefined ? [] : [{ value, from: "default", where: flag, source }];
}

function parserOf([, option]: NamedOption): Parser<unknown> {
  return option.value === undefined ? String : option.parse ?? choiceOf(option.choices);
}

/** Returns a parser of choices, which ignores case: `--status failed`. Without choices, any text. */
function choiceOf(choices: readonly string[] | undefined): Parser<string> {
  if (choices === undefined) return (text) => text;
  const chosen = (text: string) =>
    choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  return parsed(chosen, alternatives(choices));
}

/**
 * Requires that every option that was typed, or that the file sets, has an effect, by `onlyWith` and
 * `onlyWithout`. An option whose `onlyWith` was turned off at a stronger level is ignored.
 *
 * @throws UsageError, or MlcliError for the configuration file.
 */
function requireEffect(
  named: Declared,
  settings: Map<Flag, Settings>,
  { file, env }: Sources,
): void {
  for (const [flag, option] of named) {
    const set = settings.get(flag)?.at(-1);
    if (set?.from !== "typed" && set?.from !== "file") continue;
    const { key, hint } = option;
    // The file may set the other option.
    const onlyWith = key === undefined || file !== undefined ? option.onlyWith : undefined;
    if (onlyWith !== undefined && !isSet(onlyWith, named, settings)) {
      const base = settings.get(onlyWith)?.at(-1);
      if (base === undefined || !outranks(base, set)) {
        const Failure = set.from === "file" ? MlcliError : UsageError;
        throw new Failure(`${set.source} has no effect without "${onlyWith}"`, { hint });
      }
      settings.set(flag, defaultSetting([flag, option]));
    }
    const other = "onlyWithout" in option ? option.onlyWithout : undefined;
    const [existing] = other && set.from === "typed" ? settings.get(other) ?? [] : [];
    if (existing === undefined) continue;
    const variable = variableSetting([flag, option], false, env);
    // Typing the value that applies anyway does no harm.
    if (set.value === [...variable, ...defaultSetting([flag, option])][0]?.value) continue;
    const what = `the existing ${other!.slice(2)} ${existing.value}`;
    throw new UsageError(`${set.source} has no effect with ${what}`, { hint });
  }
}

/** Whether an option has another value than its default. */
function isSet(
  flag: Flag,
  named: Declared,
  settings: ReadonlyMap<Flag, Settings>,
): boolean {
  const option = named.get(flag);
  const [value] = settings.get(flag) ?? [];
  if (option === undefined || value === undefined) return false;
  return value.value !== defaultSetting([flag, option])[0]?.value;
}

/**
 * Resets the weaker of two settings that exclude each other to its default.
 *
 * @throws UsageError, or MlcliError for the configuration file, if both were set at the same level.
 */
function dropExcluded(named: Declared, settings: Map<Flag, Settings>): void {
  const reset = (flag: Flag): void =>
    void settings.set(flag, defaultSetting([flag, named.get(flag)!]));
  const pairs = [...named].flatMap(([flag, { excludes = [] }]) =>
    excludes.filter((other) => named.has(other)).map((other) => [flag, other] as const)
  );
  // First across levels: what a stronger level removes cannot contradict anything in its own. A
  // typed default counts.
  for (const pair of pairs) {
    const [one, two] = pair.map((flag) => settings.get(flag)?.at(-1));
    if (one === undefined || two === undefined || one.from === two.from) continue;
    const [strong, weak] = outranks(one, two) ? pair : pair.toReversed() as [Flag, Flag];
    const isOff = named.get(strong)!.value === undefined && !isSet(strong, named, settings);
    if (isSet(weak, named, settings) && !isOff) reset(weak);
  }
  for (const [flag, other] of pairs) {
    if (!isSet(flag, named, settings) || !isSet(other, named, settings)) continue;
    const [option, one] = [named.get(flag)!, settings.get(flag)!.at(-1)!];
    if (one.from !== "file" || !option.winsInFile) throw exclusionError([flag, option], one, other);
    reset(other);
  }
}

function exclusionError(
  [flag, { hint }]: NamedOption,
  { from, source }: FoundSetting,
  other: Flag,
): MlcliError {
  return from === "file"
    ? new MlcliError(`${source} cannot be used together with "${keyOf(other)}"`, { hint })
    : new UsageError(`Options "${flag}" and "${other}" cannot be used together`, { hint });
}

function valueOf([flag, option]: NamedOption, settings: ReadonlyMap<Flag, Settings>): unknown {
  const own = settings.get(flag)!;
  if (option.value !== undefined && option.trust !== undefined) {
    for (const { value, from, source } of own) {
      // An option's `trust` and `parse` are declared together, so the value has the right type.
      if (from === "file") option.trust(value as never, source);
    }
  }
  const values = own.map(({ source: _, ...setting }) => option.traced ? setting : setting.value);
  return option.value !== undefined && option.repeatable ? values : values[0];
}

function argumentValues(options: Options, given: Given): [name: string, value: unknown][] {
  return argumentsOf(options).map(([form, { choices, parse = choiceOf(choices) }], index) => {
    const name = propertyName(form);
    const source = `Argument "${name.toUpperCase()}"`;
    const isLast = form.endsWith("...]");
    const words = given.arguments.slice(index, isLast ? undefined : index + 1)
      .map((text) => parse(text, source));
    return [name, isLast ? words : words[0]];
  });
}

function restValue(options: Options, { rest }: Given): [name: string, value: unknown][] {
  const argument = restArgumentOf(options);
  if (argument === undefined) return [];
  const [form, { parse = (text: string) => text }] = argument;
  const name = propertyName(form);
  return [[name, rest.map((text) => parse(text, `Argument "${name.toUpperCase()}"`))]];
}
