/**
 * The person's own settings, which `mlcli config` writes: `mlcli/config.json` below `XDG_CONFIG_HOME`
 * (XDG Base Directory Specification), or `APPDATA`. Outside of all repositories, so that the author of
 * one cannot write it. Every command reads it: this module loads nothing else that is large.
 */

import { REGION } from "./contract/region.ts";
import { fileErrorReason, isMissing, MlcliError, UsageError } from "./errors.ts";
import { jsonObject } from "./text.ts";

type Environment = (name: string) => string | undefined;

/** A setting: what it does, and what it may be. */
interface Rule {
  readonly meaning: string;
  /** Of the value, or of each in a list. */
  readonly pattern: RegExp;
  readonly isList?: true;
}

/** All of them, by their names. */
export const PERSON_SETTINGS = {
  color: {
    meaning: "When to print in colour: auto, always or never",
    pattern: /^(auto|always|never)$/,
  },
  keep_models: {
    meaning: "Number of successful runs per app whose models mlcli keeps (default: 10)",
    pattern: /^[1-9]\d{0,4}$/,
  },
  keep_models_size: {
    meaning: "Maximum total size of the models of an app's runs, such as 500MB (default: 10GB)",
    pattern: /^\d{1,6}(\.\d{1,6})?[kmg]b$/i,
  },
  output: {
    meaning: "Output format of commands that have --output: text or json",
    pattern: /^(text|json)$/,
  },
  profile: {
    meaning: "AWS profile, if no option, variable or NAME.json sets it",
    pattern: /^[^\p{Cc}]+$/u,
  },
  region: {
    meaning: "AWS region, if no option, variable, NAME.json or AWS profile sets it",
    pattern: REGION,
  },
  trusted_registries: {
    meaning: "Registries whose images NAME.json can use, such as ghcr.io (comma-separated)",
    pattern: /^[a-z\d]([a-z\d.-]*[a-z\d])?(:\d{1,5})?$/,
    isList: true,
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type PersonSetting = keyof typeof PERSON_SETTINGS;

export const PERSON_SETTING_NAMES = Object.keys(PERSON_SETTINGS) as readonly PersonSetting[];

export type PersonSettings = {
  readonly [Name in PersonSetting]?: (typeof PERSON_SETTINGS)[Name] extends
    { readonly isList: true } ? readonly string[]
    : string;
};

/** In bytes: more are no settings. */
const LARGEST = 100_000;

/** `undefined` where no variable says where the person's files are. */
export function personFile(env: Environment): string | undefined {
  const isWindows = Deno.build.os === "windows";
  const absolute = isWindows ? /^([a-z]:)?[/\\]/i : /^\//;
  // The specification wants an absolute path; a relative one would lead into the repository.
  const [named, data, home] = ["XDG_CONFIG_HOME", "APPDATA", "HOME"].map(env)
    .map((path) => path && absolute.test(path) ? path : undefined);
  const folder = named ?? (isWindows ? data : undefined) ?? (home && `${home}/.config`);
  return folder && `${folder}/mlcli/config.json`;
}

/**
 * What the file has, whoever wrote it; nothing where there is none.
 *
 * @throws MlcliError where it cannot be read, or has a value that a setting does not take.
 */
export function personSettings(env: Environment): PersonSettings {
  const path = personFile(env);
  const all = path === undefined ? {} : readAll(path);
  for (const [name, rule] of Object.entries<Rule>(PERSON_SETTINGS)) {
    if (all[name] !== undefined && !isValue(rule, all[name])) {
      throw unusable(path!, `"${name}" has an invalid value (${rule.meaning})`);
    }
  }
  // What has been checked is of this type.
  return all as PersonSettings;
}

function readAll(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile || size > LARGEST) throw new Error("it is not a file, or is too large");
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (isMissing(error)) return {};
    throw unusable(path, fileErrorReason(error), error);
  }
  const all = jsonObject(text);
  if (all === undefined) throw unusable(path, "it is not a JSON object");
  return all;
}

function isValue({ pattern, isList }: Rule, value: unknown): boolean {
  const isOne = (one: unknown): boolean => typeof one === "string" && pattern.test(one);
  return isList ? Array.isArray(value) && value.every(isOne) : isOne(value);
}

function unusable(path: string, reason: string, cause?: unknown): MlcliError {
  return new MlcliError(`Cannot use your settings in ${path}: ${reason}`, {
    hint: "Fix the file, or remove it",
    cause,
  });
}

/**
 * The settings with another value for one; without a text, without that one.
 *
 * @throws UsageError for a value that the setting does not take.
 */
export function withSetting(
  settings: PersonSettings,
  name: PersonSetting,
  text: string | undefined,
): PersonSettings {
  const { [name]: _, ...others } = settings;
  if (text === undefined) return others;
  const rule: Rule = PERSON_SETTINGS[name];
  const value = rule.isList ? text.split(",").map((one) => one.trim()) : text;
  if (!isValue(rule, value)) {
    throw new UsageError(`"${text}" is not a valid value for ${name}`, { hint: rule.meaning });
  }
  return { ...others, [name]: value };
}

/** @throws MlcliError with the file's path where that is not possible. */
export async function savePersonSettings(
  settings: PersonSettings,
  env: Environment,
): Promise<void> {
  const path = personFile(env);
  if (path === undefined) throw new MlcliError("Neither XDG_CONFIG_HOME nor HOME is set");
  const { replacePrivately } = await import("./files.ts");
  // A link to a file that the person keeps elsewhere stays one.
  const file = await Deno.realPath(path).catch(() => path);
  await replacePrivately(file, `${JSON.stringify(settings, null, 2)}\n`).catch((cause) => {
    throw new MlcliError(`${path}: ${fileErrorReason(cause)}`, { cause });
  });
}

/** Whether colour is wanted on a stream: --no-color, then variables, then the setting, then a terminal. */
export function wantsColour(isTerminal: boolean, isRefused: boolean, env: Environment): boolean {
  const isOn = (name: string): boolean => !["", "0", "false"].includes(env(name) ?? "");
  // no-color.org, force-color.org, bixense.com/clicolors
  if (isRefused || env("NO_COLOR")) return false;
  if (isOn("FORCE_COLOR") || isOn("CLICOLOR_FORCE")) return true;
  if (env("FORCE_COLOR") === "0" || env("CLICOLOR") === "0") return false;
  const { color: chosen } = settingsOrNone(env);
  return chosen === "always" ||
    chosen !== "never" && isTerminal && env("TERM") !== "dumb";
}

/** Where a broken file cannot be told: whatever needs one of its settings tells it. */
export function settingsOrNone(env: Environment): PersonSettings {
  try {
    return personSettings(env);
  } catch {
    return {};
  }
}
