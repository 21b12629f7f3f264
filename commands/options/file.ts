/** Settings in the app's configuration file: `"train": {"ec2_type": "ml.m5.large"}`. */

import { basename } from "@std/path/basename";
import type { App } from "../../runtime/app/app.ts";
import { type SectionName, valueOf } from "../../runtime/app/configuration.ts";
import { unknownKey } from "../../runtime/app/unknown_keys.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { type Message, warning } from "../../runtime/messages.ts";
import type { Setting } from "../../runtime/setting.ts";
import { alternatives, closest, isObject, nameOfType } from "../../runtime/text.ts";
import {
  type Flag,
  keysOf,
  type NamedOption,
  type Options,
  optionsOf,
  type Parser,
} from "./option.ts";

/** An app's configuration file, and the object in it for the command. */
export interface AppFile {
  readonly app: Pick<App, "configuration" | "configurationPath">;
  readonly section: SectionName | undefined;
}

/**
 * Returns what the configuration file sets for an option: the values of its key in an object, or else of
 * its key at the top level.
 *
 * @throws MlcliError that names file, key and what was expected.
 */
export function settingsInFile(
  named: NamedOption,
  parse: Parser<unknown>,
  { app: { configuration, configurationPath }, section }: AppFile,
): readonly (Setting<unknown> & { readonly source: string })[] {
  const [, option] = named;
  const file = basename(configurationPath);
  const object = option.key === true ? section : option.key;
  const values = object === undefined ? {} : configuration.sections[object] ?? {};
  const key = keysOf(named).find((key) => isGiven(values[key]));
  if (key !== undefined) {
    const where = `"${key}" in "${object}" of ${file}`;
    const source = `${file}: "${key}" in "${object}"`;
    return valuesIn(named, values[key], parse, { source, fix: `Correct "${key}" in ${file}` })
      .map((value) => ({ value, from: "file", where, source }));
  }
  const { top } = option;
  // `readConfiguration` has checked the keys at the top level.
  const value = top && valueOf(configuration, top);
  if (value === undefined) return [];
  const where = `"${top}" in ${file}`;
  return [{ value, from: "file", where, source: `${file}: "${top}"` }];
}

/** `null` and `""` count as not given. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** A value's place for messages: its beginning, and the hint. */
interface Place {
  readonly source: string;
  readonly fix: string;
}

function valuesIn(
  [flag, option]: NamedOption,
  value: unknown,
  parse: Parser<unknown>,
  place: Place,
): readonly unknown[] {
  if (option.value === undefined) {
    if (typeof value === "boolean") return [flag.startsWith("--no-") ? !value : value];
    throw wrongValue(place.source, "true or false", value);
  }
  const isText = typeof value === "string" || typeof value === "number";
  if (!option.repeatable && !isText) {
    throw wrongValue(place.source, "a string or a number", value);
  }
  const texts = option.repeatable ? textsOf(place.source, value) : [String(value)];
  const { choices } = option;
  return texts.map((text) => {
    const value = parsed(text, parse, place);
    // On the command line, case does not matter.
    if (choices === undefined || choices.includes(text)) return value;
    const expected = `${place.source} must be ${alternatives(choices)}`;
    throw new MlcliError(`${expected}, but got "${text}"`, { hint: place.fix });
  });
}

/** Parses a value. A wrong one in the file isn't a wrong command line, so the exit code differs. */
function parsed(text: string, parse: Parser<unknown>, { source, fix }: Place): unknown {
  if (text === "") throw wrongValue(source, "a non-empty string", text);
  try {
    return parse(text, source);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hint = fix, quote } = error;
    throw new MlcliError(message, { hint, quote, cause: error });
  }
}

/** Returns the texts of a list, of a single text, or of an object for `NAME=VALUE`. */
function textsOf(source: string, value: unknown): readonly string[] {
  if (!isObject(value)) {
    return [value].flat().map((one: unknown) => {
      if (typeof one === "string") return one;
      throw wrongValue(source, "a string or a list of strings", one);
    });
  }
  return Object.entries(value).map(([name, inner]) => {
    if (isObject(inner) || Array.isArray(inner) || inner === null) {
      throw wrongValue(`${source}: "${name}"`, "a string, a number, true or false", inner);
    }
    if (typeof inner === "number" && Number.isInteger(inner) && !Number.isSafeInteger(inner)) {
      throw new MlcliError(`${source}: the number "${name}" is too large to be exact`, {
        hint: "Put the number in quotes",
      });
    }
    return `${name}=${inner}`;
  });
}

/** Returns an error without the value, which may be a secret. */
function wrongValue(source: string, expected: string, value: unknown): MlcliError {
  const found = value === "" ? "empty" : nameOfType(value);
  return new MlcliError(`${source} must be ${expected}, but is ${found}`, {
    hint: `Correct the value in ${source.split(":")[0]}, or remove the key`,
  });
}

/** Returns the options that an object of the file can set, by their keys. */
export function optionsByKey(
  options: Options,
  section: SectionName,
): ReadonlyMap<string, NamedOption> {
  return new Map(
    optionsOf(options).filter(([, { key }]) => key === true || key === section)
      .flatMap((named) => keysOf(named).map((key) => [key, named])),
  );
}

/** Returns warnings of keys in an object of the file that have no effect. */
export function unknownKeysIn(
  { configuration, configurationPath }: AppFile["app"],
  section: SectionName,
  options: Options,
): readonly Message[] {
  const file = basename(configurationPath);
  const known = [...optionsByKey(options, section).keys()];
  return Object.entries(configuration.sections[section] ?? {})
    .filter(([key, value]) => isGiven(value) && !known.includes(key))
    .flatMap(([key]) => {
      const shown = `"${key}" in "${section}"`;
      const similar = closest(key, known);
      if (similar !== undefined) return [unknownKey(file, shown, `"${similar}"`)];
      // A key that is similar to none of mlcli's keys might be another tool's.
      const flag = optionsOf(options).find((named) => keysOf(named).includes(key))?.[0];
      if (flag === undefined) return [];
      const hint = INSTEAD[flag] ?? `Use ${flag} on the command line`;
      return [warning(`${file}: ${shown} has no effect`, hint)];
    });
}

/** Hints for options that the configuration file cannot set. */
const INSTEAD: Readonly<Record<Flag, string>> = {
  "--region": 'Set "cloud_region" at the top level of the file',
  "--profile": 'Set "cloud_profile" at the top level of the file',
  // The path could lead to any file of the user, and another user might have written NAME.json.
  "--env-file": 'Use "env": {"NAME": "VALUE"}, or --env-file on the command line',
};
