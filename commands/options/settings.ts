/** Options that the app's configuration file gives: `"train": {"ec2_type": "ml.m5.large"}`. */

import type { Finding } from "../../runtime/app/image.ts";
import { type Section, unknownKey } from "../../runtime/app/sections.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { alternatives, closest, isObject, nameOfType } from "../../runtime/text.ts";
import {
  type Flag,
  keyOf,
  type NamedOption,
  type Options,
  optionsOf,
  propertyName,
  type Values,
} from "./option.ts";

/**
 * The values of options in the configuration file, parsed as on the command line.
 *
 * @throws MlcliError that names file, key and what was expected.
 */
export function settingsIn<O extends Options>(section: Section, options: O): Partial<Values<O>> {
  const known = optionsByKey(options);
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(section.values)) {
    const named = known.get(key);
    if (named !== undefined) settings[propertyName(named[0])] = valueOf(named, key, value, section);
  }
  // The type `Values` describes what this does at run time.
  return settings as Partial<Values<O>>;
}

/** The options that may stand in the file, by their keys. */
export function optionsByKey(options: Options): ReadonlyMap<string, NamedOption> {
  return new Map(
    optionsOf(options).filter(([, option]) => option.key).flatMap((named) =>
      keysOf(named).map((key) => [key, named])
    ),
  );
}

/** The keys of an object that are no options of its command. */
export function unknownKeysIn(section: Section, options: Options): readonly Finding[] {
  const known = [...optionsByKey(options).keys()];
  return Object.keys(section.values).filter((key) => !known.includes(key))
    .flatMap((key) => aboutUnknownKey(key, section, known, optionsOf(options)) ?? []);
}

function keysOf([flag, option]: NamedOption): readonly string[] {
  return option.value === undefined || option.alias === undefined
    ? [keyOf(flag)]
    : [keyOf(flag), keyOf(option.alias)];
}

/** Nothing for a key that is like none of mlcli's: another tool may have put it there. */
function aboutUnknownKey(
  key: string,
  section: Section,
  known: readonly string[],
  all: readonly NamedOption[],
): Finding | undefined {
  const similar = closest(key, known);
  const shown = `"${key}" in "${section.name}"`;
  if (similar !== undefined) return unknownKey(section.file, shown, `"${similar}"`);
  const flag = all.find((named) => keysOf(named).includes(key))?.[0];
  if (flag === undefined) return undefined;
  return {
    message: `${section.file}: ${shown} has no effect`,
    hint: INSTEAD[flag] ?? `Use ${flag} on the command line`,
  };
}

/** What to write instead of an option that cannot stand in the file. */
const INSTEAD: Readonly<Record<Flag, string>> = {
  "--region": 'Set "cloud_region" at the top level of the file',
  "--profile": 'Set "cloud_profile" at the top level of the file',
  // It could name any file of the user's, and a stranger may have written the app's file.
  "--env-file": 'Use "env": {"NAME": "VALUE"}, or --env-file on the command line',
};

function valueOf(
  [flag, option]: NamedOption,
  key: string,
  value: unknown,
  section: Section,
): unknown {
  const where = section.where(key);
  if (option.value === undefined) {
    if (typeof value === "boolean") return flag.startsWith("--no-") ? !value : value;
    throw wrongValue(where, "true or false", value);
  }
  const { parse = (text: string) => text, repeatable, choices } = option;
  const parsed = (text: string): unknown => {
    if (text !== "" && (choices === undefined || choices.includes(text))) {
      return parsedAs(() => parse(text, where), key, section);
    }
    const expected = choices === undefined ? "a non-empty string" : alternatives(choices);
    throw wrongValue(where, expected, text, choices !== undefined);
  };
  if (repeatable) return textsOf(where, key, value).map(parsed);
  if (typeof value === "string" || typeof value === "number") return parsed(String(value));
  throw wrongValue(where, "a string or a number", value);
}

/** A list, a single text, or an object for `NAME=VALUE`. */
function textsOf(where: string, key: string, value: unknown): readonly string[] {
  if (isObject(value)) {
    return Object.entries(value).map(([name, inner]) => {
      if (isObject(inner) || Array.isArray(inner) || inner === null) {
        throw wrongValue(`${where}: "${name}"`, "a string, a number, true or false", inner);
      }
      if (typeof inner === "number" && Number.isInteger(inner) && !Number.isSafeInteger(inner)) {
        throw new MlcliError(`${where}: the number "${name}" is too large to be exact`, {
          hint: "Put the number in quotes",
        });
      }
      return `${name}=${inner}`;
    });
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.map((one) => {
    if (typeof one !== "string") throw wrongValue(where, "a string or a list of strings", one);
    // A stranger may have written the file: it must not pick the user's own variables.
    if (key === "env" && !one.includes("=")) {
      throw new MlcliError(`${where} must have a value for each variable`, {
        hint: 'Write "env": {"NAME": "VALUE"}, or use --env NAME to copy the value from your shell',
      });
    }
    return one;
  });
}

/** For a wrong value in the file, the exit status is not that of a wrong command line. */
function parsedAs<T>(parse: () => T, key: string, { file }: Section): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { hint = `Correct "${key}" in ${file}` } = error;
    throw new MlcliError(error.message, { hint, quote: error.quote, cause: error });
  }
}

/** @param isShown whether the value itself is: it may be a secret, but for one of a few words. */
function wrongValue(
  where: string,
  expected: string,
  value: unknown,
  isShown = false,
): MlcliError {
  const found = value === "" ? "empty" : isShown ? JSON.stringify(value) : nameOfType(value);
  return new MlcliError(`${where} must be ${expected}, but is ${found}`, {
    hint: `Correct the value in ${where.split(":")[0]}, or remove the key`,
  });
}
