/** From what Cliffy reads to the values that a command gets. */

import {
  argumentsOf,
  type NamedOption,
  type Options,
  optionsOf,
  type Parser,
  propertyName,
  restArgumentOf,
  type Values,
} from "../options/option.ts";
import { UsageError } from "../../runtime/errors.ts";
import { personSettings } from "../../runtime/person.ts";
import { alternatives } from "../../runtime/text.ts";
import { usageError } from "../usage.ts";

/** The words of a command line, not yet values. */
export interface Given {
  /** By property name; what is not on the command line is not in here. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
  /** What follows `--`. */
  readonly rest: readonly string[];
}

/**
 * The values of options: the command line's, else a variable's, else the configuration file's, else
 * the person's own setting, else the default.
 *
 * @param path of the command: `mlcli local train`.
 * @param settings what the configuration file says.
 * @throws UsageError when one is not what the option takes.
 */
export function readValues<O extends Options>(
  options: O,
  given: Given,
  { path, env }: { readonly path: string; readonly env: (name: string) => string | undefined },
  settings: Partial<Values<O>> = {},
): Values<O> {
  try {
    const values = Object.fromEntries([
      ...optionsOf(options).map((named) => [
        propertyName(named[0]),
        optionValue(named, given, env, settings as Readonly<Record<string, unknown>>),
      ]),
      ...argumentValues(options, given),
      ...restValue(options, given),
    ]);
    // The type `Values` describes what this does at run time.
    return values as Values<O>;
  } catch (error) {
    if (!(error instanceof UsageError) || error.hint !== undefined) throw error;
    throw usageError(path, error.message);
  }
}

function optionValue(
  [flag, option]: NamedOption,
  given: Given,
  env: (name: string) => string | undefined,
  settings: Readonly<Record<string, unknown>>,
): unknown {
  const typed = given.options[propertyName(flag)];
  if (typed !== undefined && option.onlyWith !== undefined) {
    if (given.options[propertyName(option.onlyWith)] === undefined) {
      throw new UsageError(`Option "${flag}" has no effect without "${option.onlyWith}"`);
    }
  }
  const isInFile = Object.hasOwn(settings, propertyName(flag));
  const inFile = settings[propertyName(flag)];
  if (option.value === undefined) {
    return typed ?? (isInFile ? inFile : flag.startsWith("--no-"));
  }
  const { variable, choices, parse = choiceOf(choices) } = option;
  const source = `Option "${flag}"`;
  if (option.repeatable) {
    return typed === undefined && isInFile
      ? inFile
      : texts(typed).map((text) => parse(text, source));
  }
  if (typed !== undefined) return parse(String(typed), source);
  // An empty variable counts as not set.
  const setting = variable === undefined ? undefined : env(variable) || undefined;
  if (variable !== undefined && setting !== undefined) return parse(setting, variable);
  if (isInFile) return inFile;
  const own = option.setting && personSettings(env)[option.setting];
  if (own !== undefined) return own;
  return option.default === undefined ? undefined : parse(option.default, source);
}

/** One of the choices, in any case: `--status failed`. Any text where there are none. */
function choiceOf(choices: readonly string[] | undefined): Parser<string> {
  return (text, source) => {
    if (choices === undefined) return text;
    const chosen = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    if (chosen !== undefined) return chosen;
    throw new UsageError(`${source} must be ${alternatives(choices)}, but got "${text}"`);
  };
}

function texts(typed: unknown): readonly string[] {
  return Array.isArray(typed) ? typed : typed === undefined ? [] : [String(typed)];
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
