/**
 * The objects of the configuration file that hold options of a cloud command (`"train": {"ec2_type":
 * "ml.m5.large"}`), or of the local ones (`"local": {"memory": "4g"}`). Their keys are long option
 * names in snake_case, and they win over the top level.
 */

import { basename } from "@std/path/basename";
import { closest } from "../text.ts";
import type { App } from "./app.ts";
import { OBJECT_KEYS, RULES, type SectionName } from "./configuration.ts";
import type { Finding } from "./image.ts";

type ConfigurationOf = Pick<App, "configuration" | "configurationPath">;

export interface Section {
  /** By key, as JSON has it; `null` and `""` count as not given, and are left out. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Where a key's value stands, as the beginning of a message: `churn.json: "ec2_type" in "train"`. */
  readonly where: (key: string) => string;
  /** `churn.json` */
  readonly file: string;
  readonly name: SectionName;
}

/** What an app's file says for a command: keys of its object win over those of the top level. */
export function sectionOf(
  { configuration, configurationPath }: ConfigurationOf,
  name: SectionName,
): Section {
  const file = basename(configurationPath);
  const own = Object.entries(configuration.sections[name] ?? {})
    .filter(([, value]) => value !== null && value !== "");
  const { executionRole } = configuration;
  const hasRole = name !== "local" && executionRole !== undefined;
  const top = hasRole ? { execution_role: executionRole } : {};
  const ofOwn = new Set(own.map(([key]) => key));
  return {
    name,
    file,
    values: { ...top, ...Object.fromEntries(own) },
    where: (key) => ofOwn.has(key) ? `${file}: "${key}" in "${name}"` : `${file}: "${key}"`,
  };
}

/** Keys of the top level that are almost one of mlcli's. */
export function unknownTopLevelKeys(
  { configuration, configurationPath }: ConfigurationOf,
): readonly Finding[] {
  const known = [...Object.keys(RULES), ...OBJECT_KEYS];
  const file = basename(configurationPath);
  return configuration.otherKeys.flatMap((key) => {
    const similar = closest(key, known);
    return similar === undefined ? [] : [unknownKey(file, `"${key}"`, `"${similar}"`)];
  });
}

/** Says which counts, where both `base_image` and `python_version` are there. */
export function ignoredPythonVersion(
  { configuration, configurationPath }: ConfigurationOf,
): readonly Finding[] {
  // Neither has an effect on a Dockerfile of the user's own.
  if (!configuration.ignoresPythonVersion || configuration.context !== undefined) return [];
  return [{
    message: `${basename(configurationPath)}: "python_version" has no effect with "base_image"`,
    hint: `Remove one of them: the image uses the Python of ${configuration.baseImage}`,
  }];
}

/** @param key as the file has it, with its place: `"ec2_typ" in "train"`. */
export function unknownKey(file: string, key: string, similar: string): Finding {
  return { message: `${file}: unknown key ${key}`, hint: `Did you mean ${similar}?` };
}
