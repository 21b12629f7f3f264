/** Warnings of keys in the configuration file that have no effect. */

import { basename } from "@std/path/basename";
import { type Message, warning } from "../messages.ts";
import { closest } from "../text.ts";
import type { App } from "./app.ts";
import { OBJECT_KEYS, RULES } from "./configuration.ts";

type ConfigurationOf = Pick<App, "configuration" | "configurationPath">;

/** Keys of the top level that are almost one of mlcli's. */
export function unknownTopLevelKeys(
  { configuration, configurationPath }: ConfigurationOf,
): readonly Message[] {
  const known = [...Object.keys(RULES), ...OBJECT_KEYS];
  const file = basename(configurationPath);
  return configuration.otherKeys.flatMap((key) => {
    const similar = closest(key, known);
    return similar === undefined ? [] : [unknownKey(file, `"${key}"`, `"${similar}"`)];
  });
}

/** Returns a warning that says which key counts if the file has both `base_image` and `python_version`. */
export function ignoredPythonVersion(
  { configuration, configurationPath }: ConfigurationOf,
): readonly Message[] {
  // Neither has an effect on a Dockerfile of the user's own.
  if (!configuration.ignoresPythonVersion || configuration.context !== undefined) return [];
  return [warning(
    `${basename(configurationPath)}: "python_version" has no effect with "base_image"`,
    `Remove one of them: the image uses the Python of ${configuration.baseImage}`,
  )];
}

/** @param key as the file has it, with its place: `"ec2_typ" in "train"`. */
export function unknownKey(file: string, key: string, similar: string): Message {
  return warning(`${file}: unknown key ${key}`, `Did you mean ${similar}?`);
}
